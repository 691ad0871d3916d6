import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { KICK_OFF_MS, load, MINUTE_MS, match, openDevice, rangeButtons } from "./device-scene.js";
import { card, choose, hasNoBrowser, openBeside, openPage, useBrowser } from "./page.js";
import { signIn, type TestManager } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

let ann: TestManager;
let ben: TestManager;

const hashOf = (page: Page) => new URL(page.url()).hash;
const compared = (page: Page) => page.getByRole("heading", { level: 1, name: "2 recordings" });

describe.skipIf(hasNoBrowser)("the address of stored ranges", () => {
  useBrowser();
  beforeAll(async () => {
    ann = await service.manager("aron");
    ben = await service.manager("ben");
  });

  /** Opens the page of Ann with an open range of a new device. */
  async function openRange() {
    const { page, id, serial } = await openDevice(service, ann);
    const file = await match(serial);
    await load(page, file);
    await rangeButtons(page).first().click();
    await page.locator(".cards").waitFor();
    return { page, id, serial, file, hash: hashOf(page) };
  }

  it("opens a range after a reload, with the buttons of the browser, and as a bookmark", async () => {
    const { page, id, hash } = await openRange();
    const [, from = "", to = ""] =
      new RegExp(`^#/recordings/${id}\\?from=(2025-05-17T14:3.+Z)&to=(2025-05-17T14:3.+Z)$`).exec(hash) ?? [];
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThan(55_000);
    const recorded = () => card(page, "Recorded");
    await expect.poll(recorded).toBe("1:00 min");
    await page.reload();
    await expect.poll(recorded).toBe("1:00 min");
    expect(hashOf(page)).toBe(hash);
    await page.goBack();
    await rangeButtons(page).first().waitFor();
    await page.goForward();
    await page.locator(".cards").waitFor();
    expect(await violations(page)).toEqual([]);

    const beside = await openBeside(page, service.address + hash);
    await beside.locator(".cards").waitFor();
    const anew = await openPage({ at: service.address, hash });
    await signIn(anew, "aron");
    await anew.locator(".cards").waitFor();
    expect(hashOf(anew)).toBe(hash);
  });

  it("disappears with the range", async () => {
    const { page, file } = await openRange();
    await choose(page, { ...file, name: "other.asi" });
    await expect.poll(() => hashOf(page)).toBe("#/");
    await page.reload();
    await page.getByRole("heading", { name: "See a session" }).waitFor();
  });

  it("is refused with a message if it is invalid, and reports an empty range", async () => {
    const { page, id, hash } = await openRange();
    const other = await openSignedIn(service, ben);
    await other.goto(service.address + hash);
    await other.reload();
    await other.getByText("No device yet").waitFor();
    expect(await other.locator(".cards").count()).toBe(0);
    await page.goto(
      `${service.address}#/recordings/${id}?from=2025-05-18T14:30:00.000Z&to=2025-05-18T15:00:00.000Z`,
    );
    await page.getByText("There is no recording for this time").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  /** Opens the page of Ann, which compares two ranges of a new device. */
  async function openCompared() {
    const { page, id, serial } = await openDevice(service, ann);
    const later = await match(serial, KICK_OFF_MS + 60 * MINUTE_MS, MINUTE_MS, 2);
    await load(page, [await match(serial), { ...later, name: "later.asi" }]);
    await rangeButtons(page).nth(1).waitFor();
    for (const i of [0, 1])
      await page
        .getByRole("checkbox", { name: /for comparison$/ })
        .nth(i)
        .check();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await compared(page).waitFor();
    return { page, id, hash: hashOf(page) };
  }

  it("opens the comparison of several ranges after a reload, with the buttons of the browser, and as a bookmark", async () => {
    const { page, id, hash } = await openCompared();
    const range = `range=${id},2025-05-17T1[45]:3[^,&]+Z,2025-05-17T1[45]:3[^,&]+Z`;
    expect(hash).toMatch(new RegExp(`^#/recordings/compare\\?${range}&${range}$`));
    await page.reload();
    await compared(page).waitFor();
    expect(hashOf(page)).toBe(hash);
    await page.goBack();
    await rangeButtons(page).nth(1).waitFor();
    await page.goForward();
    await compared(page).waitFor();
    const anew = await openPage({ at: service.address, hash });
    await signIn(anew, "aron");
    await compared(anew).waitFor();
    expect(hashOf(anew)).toBe(hash);
    // the address does not name a single range
    await anew
      .getByRole("button", { name: /^Close / })
      .first()
      .click();
    await anew.locator(".cards").waitFor();
    await expect.poll(() => hashOf(anew)).toBe("#/");
  });

  it("opens the other ranges if one no longer exists, and opens none for a different user", async () => {
    const { page, id, hash } = await openCompared();
    const gone = `&range=${id},2024-01-01T00:00:00.000Z,2024-01-01T01:00:00.000Z`;
    await page.goto(service.address + hash + gone);
    await page.getByText("Of the 3 recordings at this address, 1 cannot be opened").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Open the others" }).click();
    await compared(page).waitFor();
    await expect.poll(() => hashOf(page)).toBe(hash);
    const other = await openSignedIn(service, ben);
    await other.goto(service.address + hash);
    await other.reload();
    await other.getByText("No device yet").waitFor();
    expect(await other.locator(".comparison").count()).toBe(0);
  });
});
