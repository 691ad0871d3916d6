import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import {
  freeDevice,
  KICK_OFF_MS,
  LONG_MS,
  limitUpload,
  load,
  match,
  openDevice,
  ownedDevice,
  rangeButtons,
  uploads,
} from "./device-scene.js";
import { expectComplaint, hasNoBrowser, useBrowser } from "./page.js";
import { showView, type TestManager } from "./service.js";
import { service } from "./shared-service.js";

/** A file name that the page must not interpret as HTML. */
const EVIL = "<img src=x onerror=document.title='caught'>.asi";

let ann: TestManager;

const fileItem = (page: Page, name: string) => uploads(page).getByRole("listitem").filter({ hasText: name });

describe.skipIf(hasNoBrowser)("recordings that a manager uploads", () => {
  useBrowser();
  beforeAll(async () => {
    ann = await service.manager("axel");
  });

  it("are stored by the serial numbers of their devices, and lead to a session", async () => {
    const { page, serial } = await openDevice(service, ann);
    const other = await ownedDevice(service, page);
    const files = [
      { ...(await match(other.serial)), name: "other.asi" },
      await match(serial, KICK_OFF_MS, 10_000),
    ];
    await load(page, files);
    await fileItem(page, "other.asi").getByText(`device ${other.serial}`).waitFor();
    await fileItem(page, "other.asi")
      .getByText(/samples stored from/)
      .waitFor();
    await fileItem(page, "match.asi").getByText(`device ${serial}`).waitFor();
    await rangeButtons(page).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await uploads(page).getByRole("link", { name: "Create a session from these" }).click();
    await page.getByRole("heading", { level: 1, name: "New session" }).waitFor();
    expect(await page.getByLabel("Start").inputValue()).toMatch(/^2025-05-17T16:30/);
    expect(await page.getByLabel("End").inputValue()).toMatch(/^2025-05-17T16:31/);
  });

  it("wait until the manager claims the device if it has no owner", async () => {
    expectComplaint(/400 \(Bad Request\)/);
    // The ownership starts on Thursday. The first of the two weeks in the calendar is completely before it.
    expectComplaint(/403 \(Forbidden\)/);
    const { page } = await openDevice(service, ann);
    const serial = await freeDevice(service);
    await load(page, await match(serial));
    await uploads(page).getByText(`You own no device ${serial}.`).waitFor();
    expect(await violations(page)).toEqual([]);
    await uploads(page).getByRole("link", { name: "claim this device" }).click();
    const dialog = page.getByRole("dialog", { name: "Claim a device" });
    expect(await dialog.getByLabel("Serial number").inputValue()).toBe(serial);
    await dialog.getByLabel("Device name").fill("tracker");
    await dialog.getByRole("button", { name: "Claim the device" }).click();
    await page.getByRole("heading", { level: 1, name: "tracker" }).waitFor();
    await page.getByRole("link", { name: "Upload recordings" }).click();
    await page.getByRole("button", { name: "Try again with match.asi" }).click();
    // The recording precedes the start of the ownership. One sentence says so, and the rest of the page agrees.
    const item = fileItem(page, "match.asi");
    await item
      .getByText(/^60\d samples were refused, because nobody owned the device at that time/)
      .waitFor();
    expect(await item.getByRole("paragraph").count()).toBe(1);
    await page
      .getByRole("region", { name: "Calendar" })
      .getByText("You have no recordings of this device yet.")
      .waitFor();
    expect(await page.getByText(/ stored from /).count()).toBe(0);
    await item.getByRole("button", { name: "Remove match.asi from the list" }).click();
    await service.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
    await load(page, await match(serial));
    await item.getByText(/samples stored from/).waitFor();
    await expect.poll(() => page.getByText("You have no recordings of this device yet.").count()).toBe(0);
  });

  it("are refused with the required action, before they are sent, if they exceed the limit", async () => {
    const { page, serial } = await openDevice(service, ann);
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().includes("/v2/recordings/")) sent += 1;
    });
    const { buffer } = await match(serial);
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(40_000_000)], "season.asi"));
        data.items.add(new File([new Uint8Array(bytes)], "match.asi"));
        return data;
      },
      [...buffer],
    );
    await page.dispatchEvent(".upload-zone", "drop", { dataTransfer: transfer });
    await fileItem(page, "season.asi")
      .getByText(
        "The file has 40 MB, and the service accepts at most 34 MB. To split it, open it in the viewer",
      )
      .waitFor();
    await fileItem(page, "match.asi")
      .getByText(/samples stored from/)
      .waitFor();
    expect(sent).toBe(1);
    await fileItem(page, "season.asi")
      .getByRole("button", { name: /^Try again/ })
      .waitFor({ state: "detached" });
  });

  it("are counted by their state", async () => {
    expectComplaint(/400 \(Bad Request\)/);
    const { page, serial } = await openDevice(service, ann);
    const named = async (name: string, of = serial) => ({ ...(await match(of)), name });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let sent = 0;
    // the first file is refused, and the third waits for the end of the second
    await page.route("**/api/v2/recordings/", async (route) => {
      sent += 1;
      if (sent === 2) await held;
      await route.continue();
    });
    await load(page, [await named("a.asi", "OTHER-1"), await named("b.asi"), await named("c.asi")]);
    await uploads(page).getByText("3 files: 1 uploading, 1 waiting, 1 not stored.").waitFor();
    await showView(page, "#/athletes", "Athletes");
    await showView(page, "#/recordings", "Recordings");
    await uploads(page).getByText("3 files: 1 uploading, 1 waiting, 1 not stored.").waitFor();
    release();
    await uploads(page).getByText("3 files: 2 done, 1 not stored.").waitFor();
  });

  it("show the reason if they are refused, and stay in the list", async () => {
    expectComplaint(/400 \(Bad Request\)/);
    const { page, serial } = await openDevice(service, ann);
    const good = await match(serial);
    const damaged = { ...good, name: "damaged.asi", buffer: Buffer.from(good.buffer) };
    const middle = good.buffer.length >> 1;
    damaged.buffer.writeUInt8(good.buffer.readUInt8(middle) ^ 0xff, middle);
    const foreign = { ...(await match("OTHER-1")), name: "foreign.asi" };
    const rubbish = { name: EVIL, mimeType: "", buffer: randomBytes(5_000) };
    const empty = { name: "empty.asi", mimeType: "", buffer: Buffer.alloc(0) };
    await load(page, [foreign, rubbish, empty, damaged, good, { ...good, name: "again.asi" }]);
    const of = (name: string) => fileItem(page, name);
    await of("foreign.asi").getByText("You own no device OTHER-1.").waitFor();
    await of(EVIL).getByText("Not stored.").waitFor();
    await of("empty.asi").getByText("Not stored.").waitFor();
    await of("damaged.asi").getByText("The file is damaged: 1 frame could not be read.").waitFor();
    await of("match.asi")
      .getByText(/were already stored/)
      .waitFor();
    await of("again.asi")
      .getByText(/^The same file was loaded before: 60\d samples/)
      .waitFor();
    // Only claiming the device would help. A second attempt with the other files would be refused too.
    const again = page.getByRole("button", { name: /^Try again/ });
    expect(await again.count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await of("foreign.asi").getByRole("button", { name: "Remove foreign.asi from the list" }).click();
    expect(await of("foreign.asi").count()).toBe(0);
  });

  it("can be cancelled in the middle and sent again", async () => {
    const { page, serial } = await openDevice(service, ann);
    await limitUpload(page, 100_000);
    await load(page, await match(serial, KICK_OFF_MS, LONG_MS));
    await uploads(page)
      .getByText(/^Sent /)
      .waitFor();
    const bar = uploads(page).getByRole("progressbar", { name: "Uploading match.asi" });
    expect(Number(await bar.getAttribute("value"))).toBeGreaterThan(0);
    await uploads(page).getByRole("button", { name: "Cancel match.asi" }).click();
    await uploads(page).getByText("Cancelled. No data was stored.").waitFor();
    expect(await rangeButtons(page).count()).toBe(0);
    await limitUpload(page, -1);
    await uploads(page).getByRole("button", { name: "Try again with match.asi" }).click();
    await uploads(page)
      .getByText(/samples stored from/)
      .waitFor();
    await rangeButtons(page).first().waitFor();
  });

  it("are asked about before they are lost, and their names stay after a reload", async () => {
    const { page, serial } = await openDevice(service, ann);
    const good = await match(serial);
    await page.route("**/api/v2/recordings/", () => undefined);
    await load(page, [good, { ...good, name: "second.asi" }]);
    await uploads(page).getByText("2 files: 1 uploading, 1 waiting.").waitFor();
    // uploads continue in other views
    await page.getByRole("link", { name: "Athletes", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Athletes" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByText("Some recordings are not uploaded.").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual(["beforeunload"]);
    await page.unroute("**/api/v2/recordings/");
    await showView(page, "#/recordings", "Recordings");
    await uploads(page).getByText("before this page was loaded again: match.asi, second.asi.").waitFor();
    expect(await violations(page)).toEqual([]);
    await load(page, good);
    await uploads(page)
      .getByText(/samples stored from/)
      .waitFor();
    await uploads(page).getByText("before this page was loaded again: second.asi.").waitFor();
    await uploads(page).getByRole("button", { name: "Dismiss" }).click();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Recordings" }).waitFor();
    expect([asked.length, await page.getByText("before this page was loaded again").count()]).toEqual([1, 0]);
  });

  it("can be dropped anywhere in the view without opening in the viewer", async () => {
    const { page, serial } = await openDevice(service, ann);
    const { buffer } = await match(serial);
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], "dropped.asi"));
        return data;
      },
      [...buffer],
    );
    await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
    await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
    await uploads(page)
      .getByText(/samples stored from/)
      .waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/recordings\//);
  });
});
