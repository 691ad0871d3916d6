import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  KICK_OFF_MS,
  LONG_MS,
  load,
  MINUTE_MS,
  match,
  openDevice,
  ownedDevice,
  rangeButtons,
  recording,
  uploads,
} from "./device-scene.js";
import { card, choose, expectComplaint, hasNoBrowser, openBeside, openPage, useBrowser } from "./page.js";
import { PASSWORD, showView, type TestManager } from "./service.js";
import { service } from "./shared-service.js";

let ann: TestManager;

describe.skipIf(hasNoBrowser)("recordings of a manager", () => {
  useBrowser();
  beforeAll(async () => {
    ann = await service.manager("aida");
  });

  /** Downloads the CSV of the visible part from the page. */
  async function downloaded(page: Page): Promise<{ name: string; csv: string }> {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV", exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), csv: await text(await download.createReadStream()) };
  }

  it("are loaded, summarized and shown in the calendar, and open like the same file", async () => {
    const { page, serial } = await openDevice(service, ann);
    const file = await match(serial, KICK_OFF_MS, LONG_MS);
    await load(page, file);
    await uploads(page)
      .getByText(/^25,80\d samples stored from Sat, 17 May 2025, 16:30 to Sat, 17 May 2025, 17:1\d\.$/)
      .waitFor();
    const open = rangeButtons(page).first();
    await open.waitFor();
    // calendar, latest sample and upload agree
    await expect.poll(() => page.getByText("You have no recordings of this device yet.").count()).toBe(0);
    await expect
      .poll(() => open.textContent())
      .toMatch(/^Open Sat, 17 May 2025, 16:30–17:1\d 4\d:\d\d min long, 25,80\d samples$/);
    // uses only the keyboard
    await open.focus();
    await page.keyboard.press("Enter");
    await page.locator(".cards").waitFor();
    expect(await page.locator(".facts div", { hasText: "Size" }).innerText()).toContain("from the service");
    const names = ["Distance", "Max speed", "Recorded"];
    const cards = async (shown: Page) => Promise.all(names.map((name) => card(shown, name)));
    await expect.poll(() => cards(page)).not.toContain("–");

    const local = await openPage({ at: service.address });
    await choose(local, file);
    await expect.poll(() => cards(local)).not.toContain("–");
    // a link contains no data, and there is no file to send with the link
    await local.getByRole("button", { name: "Copy a link" }).waitFor();
    expect(await page.getByRole("button", { name: "Copy a link" }).count()).toBe(0);
    expect(await cards(page)).toEqual(await cards(local));
    const [fetched, read] = [await downloaded(page), await downloaded(local)];
    expect(fetched.csv.split("\n").length).toBeGreaterThan(25_000);
    expect(fetched).toEqual(read);
  });

  it("stay closed if the user cancels while they are fetched", async () => {
    const { page, serial } = await openDevice(service, ann);
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    // the request gets no response
    await page.route("**/preprocessed-data/?*", () => {});
    await rangeButtons(page).first().click();
    await page.getByRole("progressbar", { name: /^Reading tracker, 2025-05-17/ }).waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("progressbar", { name: /^Reading/ }).waitFor({ state: "detached" });
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Recordings");
    await page.unroute("**/preprocessed-data/?*");
    await rangeButtons(page).first().click();
    await page.locator(".cards").waitFor();
  });

  it("open after the user has signed in again if the session has ended", async () => {
    expectComplaint(/403 \(Forbidden\)/);
    const { page, serial } = await openDevice(service, ann);
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    await page.context().clearCookies();
    // Uses the keyboard, because the live view may ask for sign-in before the pointer arrives.
    await rangeButtons(page).first().dispatchEvent("click");
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".cards").waitFor();
  });

  it("can be compared, even those of two devices", async () => {
    const { page, serial, id } = await openDevice(service, ann);
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    const other = await ownedDevice(service, page);
    await page.reload();
    await showView(page, `#/recordings/${other.id}`, "Recordings");
    await load(page, await match(other.serial, KICK_OFF_MS, MINUTE_MS, 2));
    await page.getByRole("checkbox", { name: /for comparison$/ }).check();
    await page.getByLabel("Device", { exact: true }).selectOption({ value: String(id) });
    await page.getByRole("checkbox", { name: /for comparison$/, checked: false }).check();
    const chosen = page.getByRole("region", { name: "Chosen for comparison" });
    expect(await chosen.getByRole("listitem").count()).toBe(2);
    await chosen.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("heading", { level: 1, name: "2 recordings" }).waitFor();
    // the comparison is loaded on first use
    await page.locator(".comparison tbody tr").nth(1).waitFor();
  });

  it("appear in blocks of two weeks, beginning with the latest sample", async () => {
    const { page, serial, id } = await openDevice(service, ann);
    const nightMs = Date.UTC(2025, 3, 30, 21, 58, 30);
    const files = [await match(serial), await match(serial, nightMs, 3 * MINUTE_MS)];
    await load(page, files);
    await uploads(page).getByText("2 files: 2 done.").waitFor();
    const heading = page.getByRole("region", { name: "Calendar" }).getByRole("heading", { level: 2 });
    await expect.poll(() => heading.innerText()).toBe("5 May to 18 May 2025");
    await page.getByRole("link", { name: "Earlier" }).click();
    await expect.poll(() => heading.innerText()).toBe("21 Apr to 4 May 2025");
    expect(await rangeButtons(page).first().textContent()).toMatch(/^Open Wed, 30 Apr 2025, 23:58–00:01/);
    expect(new URL(page.url()).hash).toBe(`#/recordings/${id}?from=2025-04-21`);
    // the calendar marks a day without a recording
    const days = page.getByRole("list", { name: "Days" });
    expect(await days.getByText("No recording", { exact: true }).count()).toBe(12);
    await days.getByText("The recording of the day before continues").waitFor();
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "UTC" }).click();
    await page.keyboard.press("Escape");
    await expect
      .poll(() => rangeButtons(page).first().textContent())
      .toMatch(/^Open Wed, 30 Apr 2025, 21:58–22:01/);
    await page.getByRole("link", { name: "Today" }).click();
    await page
      .getByText("Nothing was recorded in these two weeks. The latest sample is from Sat, 17 May 2025.")
      .waitFor();
    expect(await days.count()).toBe(0);
    await page.getByRole("link", { name: "Latest" }).click();
    await expect.poll(() => heading.innerText()).toBe("5 May to 18 May 2025");
    await page.goBack();
    await expect.poll(() => rangeButtons(page).count()).toBe(0);
  });

  it("from an earlier ownership are not denied after the device is claimed again", async () => {
    const { page, serial, id } = await openDevice(service, ann);
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    await page.evaluate(
      async ([device, serial_number]) => {
        const post = (path: string, json: object) =>
          fetch(`api/v1/devices/${path}/`, {
            method: "POST",
            headers: { "X-Asi-Page": "1", "Content-Type": "application/json" },
            body: JSON.stringify(json),
          });
        await post(`${device}/release-ownership`, {});
        await post("take-ownership", { serial_number, device_name: "tracker" });
      },
      [id, serial] as const,
    );
    await page.reload();
    // the earlier ownership has just ended
    await page.getByText("Nothing was recorded in these two weeks.", { exact: true }).waitFor();
    await page.getByText("There are no samples since you claimed the device.").waitFor();
    await page.getByRole("link", { name: "Latest" }).waitFor();
    await showView(page, `#/recordings/${id}?from=2025-05-05`, "Recordings");
    await rangeButtons(page).first().waitFor();
    await showView(page, `#/devices/${id}`, "tracker");
    await page.getByText("none since you claimed it").waitFor();
    expect(await page.getByRole("link", { name: "Upload recordings" }).count()).toBe(0);
  });

  describe("the live view", () => {
    const live = (page: Page) => page.getByRole("region", { name: "Latest sample" });
    const value = (page: Page, name: string) =>
      live(page)
        .locator("div", { has: page.getByText(name, { exact: true }) })
        .locator("dd")
        .innerText();
    const walk = (startMs: number, speed: number) =>
      Array.from({ length: 10 }, (_, i) => ({
        timestamp: startMs + i * 100,
        latitude: 47.37,
        longitude: -8.55,
        altitude: 400,
        speed,
        hr: 150,
      }));
    /** Returns rows with the heart rate of a sensor that measures less often than the device. One row in ten has a heart rate. */
    const withFewHeartRates = (startMs: number) =>
      walk(startMs, 4).map((row, i) => ({ ...row, hr: i === 0 ? 140 : null }));

    it("shows the newest stored sample with its age", async () => {
      const { page, serial, id } = await openDevice(service, ann);
      await load(page, await recording(serial, walk(Date.now() - 10_000, 2)));
      await expect.poll(() => value(page, "Speed")).toBe("7.2 km/h");
      await expect.poll(() => live(page).getByText("Live", { exact: true }).count()).toBe(1);
      expect(await value(page, "Position")).toBe("47.37000° N, 8.55000° W");
      expect(await value(page, "Heart rate")).toBe("150 bpm");
      expect(await value(page, "Age")).toMatch(/^\d+ s$/);
      const beside = await openBeside(page, `${service.address}#/recordings/${id}`);
      await live(page).getByText("Followed in another window").waitFor();
      await load(beside, await recording(serial, walk(Date.now() - 2_000, 5), "later.asi"));
      await expect.poll(() => value(beside, "Speed")).toBe("18.0 km/h");
      await live(page).getByRole("button", { name: "Follow here" }).click();
      await expect.poll(() => value(page, "Speed")).toBe("18.0 km/h");
      await live(beside).getByText("Followed in another window").waitFor();
    });

    it("shows the newest heart rate of the last ten seconds if the newest sample has none", async () => {
      const { page, serial, id } = await openDevice(service, ann);
      const startMs = Date.now() - 60_000;
      await load(page, await recording(serial, withFewHeartRates(startMs)));
      await expect.poll(() => value(page, "Heart rate")).toBe("140 bpm");
      const without = (afterMs: number) => walk(startMs + afterMs, 5).map((row) => ({ ...row, hr: null }));
      await load(page, await recording(serial, without(4_000), "later.asi"));
      await expect.poll(() => value(page, "Heart rate")).toBe("140 bpm, 4 s earlier");
      // a page that opens later also shows it
      const beside = await openBeside(page, `${service.address}#/recordings/${id}`);
      await expect.poll(() => value(beside, "Heart rate")).toBe("140 bpm, 4 s earlier");
      await load(beside, await recording(serial, without(12_000), "last.asi"));
      await expect.poll(() => value(beside, "Heart rate")).toBe("–");
    });

    it("polls at intervals if events do not arrive", async () => {
      expectComplaint(/ERR_FAILED/);
      const { page, serial } = await openDevice(service, ann);
      await page.route("**/live/", (route) => route.abort());
      await page.reload();
      await load(page, await recording(serial, walk(Date.now() - 10_000, 3)));
      await live(page).getByText("Polls every 5 seconds").waitFor();
      await expect.poll(() => value(page, "Speed")).toBe("10.8 km/h");
    });
  });
});
