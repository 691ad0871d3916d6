/** Tests of the squad view of a stored session that changes, or whose changes are not saved. */
import { unwrap } from "asi-client";
import { demoRows } from "asi-convert";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { recording } from "./device-scene.js";
import { expectComplaint, hasNoBrowser, useBrowser } from "./page.js";
import { showView } from "./service.js";
import { KICK_OFF_MS, type SquadScene, squadScene, storeRecordings } from "./session-scene.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const PERIODS = "/api/v2/sessions/{session}/periods/";
const WARM_UP = {
  name: "Warm-up",
  start_time: "2026-05-16T12:01:00.000Z",
  end_time: "2026-05-16T12:04:00.000Z",
  athlete: null,
};

let scene: SquadScene;
let sceneNumber = 0;

const status = (page: Page) => page.locator(".squad-status");

async function isRead(page: Page, recordings: number): Promise<void> {
  await status(page)
    .getByText(`${recordings} recording${recordings === 1 ? "" : "s"} undamaged`)
    .waitFor();
  await page.locator('.squad[aria-busy="false"]').waitFor();
}

async function openSquad(page: Page, session: number, recordings: number): Promise<void> {
  await showView(page, `#/sessions/${session}`, /./);
  await returnToSquad(page);
  await isRead(page, recordings);
}

const leaveSquad = (page: Page) => page.getByRole("link", { name: "Back to the session" }).click();
const returnToSquad = (page: Page) => page.getByRole("link", { name: "Open the squad" }).click();

/** Drags over the clock, and creates a period from the selection. */
async function makePeriod(page: Page, name: string): Promise<void> {
  const box = await page.locator(".clock-slider").boundingBox();
  if (box === null) throw new Error("The clock is not shown.");
  await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 30, { steps: 3 });
  await page.mouse.up();
  const card = page.getByRole("dialog", { name: "Create a period" });
  await card.getByLabel("Name").fill(name);
  await card.getByRole("button", { name: "Create the period" }).click();
}

const namesOf = async (session: number) =>
  ((await unwrap(scene.client.GET(PERIODS, { params: { path: { session } } }))) as { name: string }[]).map(
    ({ name }) => name,
  );

const replacePeriods = (session: number) =>
  unwrap(scene.client.PUT(PERIODS, { params: { path: { session } }, body: [WARM_UP] }));

/** Gives Vogel a device with a recording. */
async function assignDevice(): Promise<void> {
  const { client } = scene;
  const serial = `LATE-${sceneNumber}`;
  await service.addDevice(serial, serial.toLowerCase());
  const body = { serial_number: serial, device_name: serial.toLowerCase() };
  const device = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body }));
  await service.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
  const athletes: number[] = [];
  for await (const { athlete, number } of client.list("/api/v2/members/"))
    if (number === 3) athletes.push(athlete);
  const assignment = { device: device.id, athlete: athletes[0] ?? 0, start_time: "2020-01-01T00:00:00Z" };
  await unwrap(client.POST("/api/v2/assignments/", { body: assignment }));
  function* rows() {
    for (const row of demoRows({ seed: 3, startMs: KICK_OFF_MS, durationMs: 600_000 }))
      if (row.timestamp % 1000 === 0) yield row;
  }
  const file = await recording(serial, rows(), `${serial}.asi`);
  const [stored] = await client.uploadRecordings([new Blob([new Uint8Array(file.buffer)])]);
  await client.waitForJob(stored?.job?.job_id ?? "", { intervalMs: 50 });
}

/** Drops recordings onto the page together. */
const drop = (page: Page, files: SquadScene["files"]) =>
  page.evaluate(
    (all) => {
      const dataTransfer = new DataTransfer();
      for (const { name, bytes } of all) dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
      document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    },
    files.map(({ name, buffer }) => ({ name, bytes: [...buffer] })),
  );

/** Counts the workers in the memory of the page, including those that have ended. */
async function workersInMemory(page: Page): Promise<number> {
  const browser = await page.context().newCDPSession(page);
  const { result } = await browser.send("Runtime.evaluate", { expression: "Worker.prototype" });
  const { objects } = await browser.send("Runtime.queryObjects", {
    prototypeObjectId: result.objectId ?? "",
  });
  const counted = await browser.send("Runtime.callFunctionOn", {
    objectId: objects.objectId ?? "",
    functionDeclaration: "function () { return this.length; }",
  });
  await browser.detach();
  return counted.result.value;
}

/** Counts requests whose method and address match. */
function count(page: Page, isOne: (method: string, url: string) => boolean): { number: number } {
  const counted = { number: 0 };
  page.on("request", (request) => {
    if (isOne(request.method(), request.url())) counted.number++;
  });
  return counted;
}

describe.skipIf(hasNoBrowser)("the squad of a stored session", () => {
  useBrowser();
  beforeEach(async () => {
    scene = await squadScene(service, `steffi${++sceneNumber}`, ["Keller", "Meier"]);
    await storeRecordings(scene);
  });

  it("has a device assigned later, and periods changed by others, when the user returns to it", async () => {
    const session = await scene.session("Derby");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session, 2);
    const sprints = page.getByRole("columnheader", { name: "Sprints" });
    await sprints.getByRole("button").click();
    await sprints.getByRole("button").click();
    await leaveSquad(page);
    await assignDevice();
    await returnToSquad(page);
    await isRead(page, 3);
    // the table is sorted as before
    expect(await sprints.getAttribute("aria-sort")).toBe("ascending");
    expect(await status(page).getByText("to check").count()).toBe(0);
    await leaveSquad(page);
    await replacePeriods(session);
    await returnToSquad(page);
    await page
      .locator("thead")
      .getByRole("button", { name: /^Warm-up, 14:01:00 to 14:04:00/ })
      .waitFor();
    await isRead(page, 3);
    expect(await namesOf(session)).toEqual(["Warm-up"]);
  });

  it("is not read again when only the user has changed it", async () => {
    const session = await scene.session("Derby");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session, 2);
    await makePeriod(page, "Pressing");
    await status(page).getByText("The periods are saved to the session.").waitFor();
    const samples = count(page, (_, url) => /\/preprocessed-data\//.test(url));
    for (const _ of [1, 2]) {
      await leaveSquad(page);
      await page.getByRole("heading", { level: 1, name: "Derby" }).waitFor();
      const checked = page.waitForResponse((response) => /\/periods\//.test(response.url()));
      await returnToSquad(page);
      await checked;
      await isRead(page, 2);
      await page.waitForLoadState("networkidle");
    }
    // the steps of the user are still there
    await page.keyboard.press("Control+z");
    await expect.poll(() => namesOf(session)).toEqual([]);
    expect(samples.number).toBe(0);
  });

  it("keeps unsaved periods when the session has changed, and loads it again on request", async () => {
    expectComplaint(/500|412/);
    const session = await scene.session("Derby");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session, 2);
    await page.route(`**${PERIODS.replace("{session}", String(session))}`, (route) =>
      route.request().method() === "PUT"
        ? route.fulfill({ status: 412, headers: { "X-Request-Id": "1" }, json: { code: "changed" } })
        : route.continue(),
    );
    await makePeriod(page, "Pressing");
    await leaveSquad(page);
    await page.getByText("The periods of Derby are not saved. Open its squad to try again.").waitFor();
    await replacePeriods(session);
    await returnToSquad(page);
    await status(page).getByText("The session has changed.").waitFor();
    await page
      .locator("thead")
      .getByRole("button", { name: /^Pressing/ })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await status(page).getByRole("button", { name: "Load it again" }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByText("The periods of Derby are not saved.").waitFor();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await page
      .locator("thead")
      .getByRole("button", { name: /^Warm-up/ })
      .waitFor();
    await isRead(page, 2);
  });

  it("stays when the user declines other files, of which nothing stays in memory", async () => {
    expectComplaint(/400/);
    const session = await scene.session("Derby");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session, 2);
    await page.route(`**${PERIODS.replace("{session}", String(session))}`, (route) =>
      route.request().method() === "PUT"
        ? route.fulfill({ status: 400, headers: { "X-Request-Id": "1" }, json: { detail: "No." } })
        : route.continue(),
    );
    await makePeriod(page, "Pressing");
    await status(page).getByText("The periods are not saved.").waitFor();
    await page.locator(".squad-table .player").first().click();
    const back = page.getByRole("button", { name: "Back to the squad" });
    await back.waitFor();
    const workers = await workersInMemory(page);
    await drop(page, scene.files);
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await expect.poll(() => workersInMemory(page)).toBe(workers);
    await back.click();
    await status(page).getByText("The periods are not saved.").waitFor();
  });

  it("asks in every view before unsaved periods are lost", async () => {
    expectComplaint(/ERR_FAILED|ERR_INTERNET|500/);
    const [session, other] = [await scene.session("Derby"), await scene.session("Cup")];
    const page = await openSignedIn(service, scene);
    await openSquad(page, session, 2);
    const isRefusing = { value: true };
    await page.route(`**${PERIODS.replace("{session}", String(session))}`, (route) =>
      route.request().method() === "PUT" && isRefusing.value
        ? route.fulfill({ status: 400, headers: { "X-Request-Id": "1" }, json: { detail: "No." } })
        : route.continue(),
    );
    expectComplaint(/400/);
    await makePeriod(page, "Pressing");
    await status(page).getByText("The periods are not saved.").waitFor();
    await leaveSquad(page);
    // the browser asks in this view too
    const asked = page.waitForEvent("dialog");
    const reloading = page.reload().catch(() => undefined);
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await Promise.race([reloading, new Promise((resolve) => setTimeout(resolve, 500))]);
    await showView(page, `#/sessions/${other}`, "Cup");
    await returnToSquad(page);
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { level: 1, name: "Cup" }).waitFor();
    await showView(page, `#/sessions/${session}`, "Derby");
    await returnToSquad(page);
    isRefusing.value = false;
    await status(page).getByRole("button", { name: "Try again" }).click();
    await status(page).getByText("The periods are saved to the session.").waitFor();
    expect(await namesOf(session)).toEqual(["Pressing"]);
    await showView(page, `#/sessions/${other}`, "Cup");
    await returnToSquad(page);
    await isRead(page, 2);
    expect(await question.count()).toBe(0);
  });
});
