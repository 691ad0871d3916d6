import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { demoRows, type EncodableRow, encode } from "asi-convert";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { card, choose, expectComplaint, hasNoBrowser, openBeside, openPage, useBrowser } from "./page.js";
import { BuiltService, PASSWORD, showView, type TestManager } from "./service.js";
import { openSignedIn } from "./signed-in.js";

/** A name that is no markup. */
const EVIL = "<img src=x onerror=document.title='caught'>.asi";

const service = new BuiltService();
let ann: TestManager;

const KICK_OFF_MS = Date.UTC(2025, 4, 17, 14, 30);
const MINUTE_MS = 60_000;
/** More than the service sends in one page. */
const LONG_MS = 43 * MINUTE_MS;

interface TestFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

async function recording(
  serial: string,
  rows: Iterable<EncodableRow>,
  name = "match.asi",
): Promise<TestFile> {
  const stream = encode(rows, { serial, deviceName: "tracker", deviceType: "T1" });
  const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
  return { name, mimeType: "", buffer };
}

const match = (serial: string, startMs = KICK_OFF_MS, durationMs = MINUTE_MS, seed = 1) =>
  recording(serial, demoRows({ seed, startMs, durationMs }));

describe.skipIf(hasNoBrowser)("recordings of a manager", () => {
  useBrowser();
  beforeAll(async () => {
    await service.start();
    ann = await service.manager("ann");
  });
  afterAll(() => service.stop());

  /** A device that Ann owns since long ago. @returns its serial number and its id */
  async function ownedDevice(page: Page): Promise<{ serial: string; id: number }> {
    const serial = `R-${randomBytes(4).toString("hex")}`;
    await service.addDevice(serial);
    const id = await page.evaluate(async (serial_number) => {
      const response = await fetch("api/v1/devices/take-ownership/", {
        method: "POST",
        headers: { "X-Asi-Page": "1", "Content-Type": "application/json" },
        body: JSON.stringify({ serial_number, device_name: "tracker" }),
      });
      return (await response.json()).id as number;
    }, serial);
    await service.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
    return { serial, id };
  }

  const uploads = (page: Page) => page.getByRole("region", { name: "Upload recordings" });
  const load = (page: Page, files: TestFile | TestFile[]) => page.setInputFiles("[data-upload]", files);
  const rangeButtons = (page: Page) => page.getByRole("button", { name: /^Open / });

  /** The page with the recordings of a new device. */
  async function openDevice(options = {}): Promise<{ page: Page; serial: string; id: number }> {
    const page = await openSignedIn(service, ann, options);
    const device = await ownedDevice(page);
    await showView(page, `#/recordings/${device.id}`, "Recordings");
    await page.getByText("Nothing is stored for this device yet. Upload a file below.").waitFor();
    return { page, ...device };
  }

  /** The CSV that the page gives of what it shows. */
  async function downloaded(page: Page): Promise<{ name: string; csv: string }> {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV", exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), csv: await text(await download.createReadStream()) };
  }

  it("are loaded, accounted for, shown in the calendar, and open as the same file does", async () => {
    const { page, serial } = await openDevice();
    const file = await match(serial, KICK_OFF_MS, LONG_MS);
    await load(page, file);
    await uploads(page)
      .getByText(/^25,80\d samples stored from Sat, 17 May 2025, 16:30 to Sat, 17 May 2025, 17:1\d\.$/)
      .waitFor();
    const open = rangeButtons(page).first();
    await open.waitFor();
    expect(await open.textContent()).toMatch(
      /^Open Sat, 17 May 2025, 16:30–17:1\d 4\d:\d\d long, 25,80\d samples$/,
    );
    // by the keyboard alone
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
    // a link has no data, and for the range there is no file to send along
    await local.getByRole("button", { name: "Copy a link" }).waitFor();
    expect(await page.getByRole("button", { name: "Copy a link" }).count()).toBe(0);
    expect(await cards(page)).toEqual(await cards(local));
    const [fetched, read] = [await downloaded(page), await downloaded(local)];
    expect(fetched.csv.split("\n").length).toBeGreaterThan(25_000);
    expect(fetched).toEqual(read);
  });

  it("are not opened when the user cancels while they are fetched", async () => {
    const { page, serial } = await openDevice();
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    // no answer comes
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

  it("are opened after the user has signed in again, when the session has ended", async () => {
    expectComplaint(/403 \(Forbidden\)/);
    const { page, serial } = await openDevice();
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    await page.context().clearCookies();
    await rangeButtons(page).first().click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.locator(".cards").waitFor();
  });

  it("of two devices are compared", async () => {
    const { page, serial, id } = await openDevice();
    await load(page, await match(serial));
    await rangeButtons(page).first().waitFor();
    const other = await ownedDevice(page);
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
    // the comparison is loaded when it is first needed
    await page.locator(".comparison tbody tr").nth(1).waitFor();
  });

  it("are shown two weeks at a time: those of the latest sample first", async () => {
    const { page, serial, id } = await openDevice();
    const nightMs = Date.UTC(2025, 3, 30, 21, 58, 30);
    const files = [await match(serial), await match(serial, nightMs, 3 * MINUTE_MS)];
    await load(page, files);
    const heading = page.getByRole("region", { name: "Calendar" }).getByRole("heading", { level: 2 });
    await expect.poll(() => heading.innerText()).toBe("5 May to 18 May 2025");
    await page.getByRole("link", { name: "Earlier" }).click();
    await expect.poll(() => heading.innerText()).toBe("21 Apr to 4 May 2025");
    expect(await rangeButtons(page).first().textContent()).toMatch(/^Open Wed, 30 Apr 2025, 23:58–00:01/);
    expect(new URL(page.url()).hash).toBe(`#/recordings/${id}?from=2025-04-21`);
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "UTC" }).click();
    await page.keyboard.press("Escape");
    await expect
      .poll(() => rangeButtons(page).first().textContent())
      .toMatch(/^Open Wed, 30 Apr 2025, 21:58–22:01/);
    await page.getByRole("link", { name: "Today" }).click();
    await page
      .getByText("Nothing was recorded in these two weeks. The latest sample is of Sat, 17 May 2025.")
      .waitFor();
    await page.getByRole("link", { name: "Latest" }).click();
    await expect.poll(() => heading.innerText()).toBe("5 May to 18 May 2025");
    await page.goBack();
    await expect.poll(() => rangeButtons(page).count()).toBe(0);
  });

  it("that are refused say why, and stay in the list", async () => {
    expectComplaint(/400 \(Bad Request\)/);
    const { page, serial } = await openDevice();
    const good = await match(serial);
    const damaged = { ...good, name: "damaged.asi", buffer: Buffer.from(good.buffer) };
    const middle = good.buffer.length >> 1;
    damaged.buffer.writeUInt8(good.buffer.readUInt8(middle) ^ 0xff, middle);
    const foreign = { ...(await match("OTHER-1")), name: "foreign.asi" };
    const rubbish = { name: EVIL, mimeType: "", buffer: randomBytes(5_000) };
    const empty = { name: "empty.asi", mimeType: "", buffer: Buffer.alloc(0) };
    await load(page, [foreign, rubbish, empty, damaged, good, { ...good, name: "again.asi" }]);
    const of = (name: string) => uploads(page).getByRole("listitem").filter({ hasText: name });
    await of("foreign.asi").getByText("The recording is of device OTHER-1, not of this one.").waitFor();
    await of(EVIL).getByText("Not stored.").waitFor();
    await of("empty.asi").getByText("Not stored.").waitFor();
    await of("damaged.asi").getByText("The file is damaged: 1 frame could not be read.").waitFor();
    await of("match.asi")
      .getByText(/were already there/)
      .waitFor();
    await of("again.asi")
      .getByText(/^Nothing new: 60\d samples were already there/)
      .waitFor();
    expect(await of("foreign.asi").getByRole("button", { name: "Try again with foreign.asi" }).count()).toBe(
      1,
    );
    expect(await violations(page)).toEqual([]);
    await of("foreign.asi").getByRole("button", { name: "Remove foreign.asi from the list" }).click();
    expect(await of("foreign.asi").count()).toBe(0);
  });

  /** Lets so many bytes a second leave the page. */
  async function limitUpload(page: Page, bytesPerSecond: number): Promise<void> {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const uploadThroughput = bytesPerSecond;
    const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
    await session.send("Network.emulateNetworkConditions", limits);
  }

  it("are cancelled in the middle, and sent again", async () => {
    const { page, serial } = await openDevice();
    await limitUpload(page, 100_000);
    await load(page, await match(serial, KICK_OFF_MS, LONG_MS));
    await uploads(page)
      .getByText(/^Sent /)
      .waitFor();
    const bar = uploads(page).getByRole("progressbar", { name: "Uploading match.asi" });
    expect(Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    await uploads(page).getByRole("button", { name: "Cancel match.asi" }).click();
    await uploads(page).getByText("Cancelled. Nothing of it was stored.").waitFor();
    expect(await rangeButtons(page).count()).toBe(0);
    await limitUpload(page, -1);
    await uploads(page).getByRole("button", { name: "Try again with match.asi" }).click();
    await uploads(page)
      .getByText(/samples stored from/)
      .waitFor();
    await rangeButtons(page).first().waitFor();
  });

  it("are kept when the service goes away in the middle, and are sent again when it is back", async () => {
    expectComplaint(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_SOCKET/);
    const { page, serial } = await openDevice();
    await limitUpload(page, 100_000);
    await load(page, await match(serial, KICK_OFF_MS, LONG_MS));
    await uploads(page)
      .getByText(/^Sent /)
      .waitFor();
    await service.kill();
    await uploads(page)
      .getByText(/The service stopped answering/)
      .waitFor();
    await page.getByText("The service does not answer. Trying again…").waitFor();
    await limitUpload(page, -1);
    await service.start();
    await page.getByText("The service does not answer. Trying again…").waitFor({ state: "hidden" });
    await uploads(page).getByRole("button", { name: "Try again with match.asi" }).click();
    await uploads(page)
      .getByText(/samples stored from/)
      .waitFor();
  });

  it("are dropped on the page of the device, not into the viewer", async () => {
    const { page, serial } = await openDevice();
    const { buffer } = await match(serial);
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], "dropped.asi"));
        return data;
      },
      [...buffer],
    );
    await page.dispatchEvent(".upload-zone", "dragover", { dataTransfer: transfer });
    await page.dispatchEvent(".upload-zone", "drop", { dataTransfer: transfer });
    await uploads(page)
      .getByText(/samples stored from/)
      .waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/recordings\//);
  });

  describe("live", () => {
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

    it("is the newest sample as it is stored, with its age", async () => {
      const { page, serial, id } = await openDevice();
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

    it("is asked for where events do not get through", async () => {
      expectComplaint(/ERR_FAILED/);
      const { page, serial } = await openDevice();
      await page.route("**/live/", (route) => route.abort());
      await page.reload();
      await load(page, await recording(serial, walk(Date.now() - 10_000, 3)));
      await live(page).getByText("Asks every 5 seconds").waitFor();
      await expect.poll(() => value(page, "Speed")).toBe("10.8 km/h");
    });
  });

  it.each([320, 768, 1440])(
    "fit into a window of %i px, in both themes, without a barrier",
    async (width) => {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, serial } = await openDevice({ viewport: { width, height: 900 }, colorScheme });
        await load(page, await match(serial));
        await rangeButtons(page).first().waitFor();
        await page.getByRole("checkbox", { name: /for comparison$/ }).check();
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        const { PICTURES } = process.env;
        if (PICTURES !== undefined)
          await page.screenshot({ path: `${PICTURES}/${width}-${colorScheme}.png`, fullPage: true });
      }
    },
  );
});
