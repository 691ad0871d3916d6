import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { load, match, openDevice, rangeButtons } from "./device-scene.js";
import { card, choose, hasNoBrowser, openBeside, openPage, useBrowser } from "./page.js";
import { BuiltService, signIn, type TestManager } from "./service.js";
import { openSignedIn } from "./signed-in.js";

const service = new BuiltService();
let ann: TestManager;
let ben: TestManager;

const hashOf = (page: Page) => new URL(page.url()).hash;

describe.skipIf(hasNoBrowser)("the address of a stored range", () => {
  useBrowser();
  beforeAll(async () => {
    await service.start();
    ann = await service.manager("ann");
    ben = await service.manager("ben");
  });
  afterAll(() => service.stop());

  /** The page of Ann with an open range of a new device. */
  async function openRange() {
    const { page, id, serial } = await openDevice(service, ann);
    const file = await match(serial);
    await load(page, file);
    await rangeButtons(page).first().click();
    await page.locator(".cards").waitFor();
    return { page, id, serial, file, hash: hashOf(page) };
  }

  it("opens it again: after a reload, with the buttons of the browser, and as a bookmark", async () => {
    const { page, id, hash } = await openRange();
    const [, from = "", to = ""] =
      new RegExp(`^#/recordings/${id}\\?from=(2025-05-17T14:3.+Z)&to=(2025-05-17T14:3.+Z)$`).exec(hash) ?? [];
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThan(55_000);
    const recorded = await card(page, "Recorded");
    await page.reload();
    await page.locator(".cards").waitFor();
    expect([await card(page, "Recorded"), hashOf(page)]).toEqual([recorded, hash]);
    await page.goBack();
    await rangeButtons(page).first().waitFor();
    await page.goForward();
    await page.locator(".cards").waitFor();
    expect(await violations(page)).toEqual([]);

    const beside = await openBeside(page, service.address + hash);
    await beside.locator(".cards").waitFor();
    const anew = await openPage({ at: service.address, hash });
    await signIn(anew, "ann");
    await anew.locator(".cards").waitFor();
    expect(hashOf(anew)).toBe(hash);
  });

  it("is left with what it shows", async () => {
    const { page, file } = await openRange();
    await choose(page, { ...file, name: "other.asi" });
    await expect.poll(() => hashOf(page)).toBe("#/");
    await page.reload();
    await page.getByRole("heading", { name: "See a session" }).waitFor();
  });

  it("refuses others in words, and says so where there is nothing", async () => {
    const { page, id, hash } = await openRange();
    const other = await openSignedIn(service, ben);
    await other.goto(service.address + hash);
    await other.reload();
    await other.getByText("No device yet").waitFor();
    expect(await other.locator(".cards").count()).toBe(0);
    await page.goto(
      `${service.address}#/recordings/${id}?from=2025-05-18T14:30:00.000Z&to=2025-05-18T15:00:00.000Z`,
    );
    await page.getByText("There is no recording of this time").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
