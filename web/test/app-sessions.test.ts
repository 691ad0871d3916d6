/** Tests of the sessions of the service: calendar, page, form, and the squad view on stored ranges. */
import { type Resource, unwrap } from "asi-client";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, useBrowser } from "./page.js";
import { showView } from "./service.js";
import { type SquadScene, squadScene, storeRecordings } from "./session-scene.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

let scene: SquadScene;

const rows = (page: Page) => page.locator(".squad-table tbody tr");
const status = (page: Page) => page.locator(".squad-status");
const chips = (page: Page) => page.locator("thead").getByRole("button");
const minutes = (page: Page) => rows(page).first().locator("td").first().innerText();

/** Drags over the clock of 20 minutes, whose margins are 14 px. */
async function drag(page: Page, fromMinute: number, toMinute: number): Promise<void> {
  const box = await page.locator(".clock-slider").boundingBox();
  if (box === null) throw new Error("The clock is not shown.");
  const at = (minute: number) => box.x + 14 + (minute / 20) * (box.width - 28);
  await page.mouse.move(at(fromMinute), box.y + 30);
  await page.mouse.down();
  await page.mouse.move(at((fromMinute + toMinute) / 2), box.y + 30);
  await page.mouse.move(at(toMinute), box.y + 30);
  await page.mouse.up();
}

async function makePeriod(page: Page, name: string, from: string, to: string): Promise<void> {
  await drag(page, 4, 9);
  const card = page.getByRole("dialog", { name: "Create a period" });
  await card.getByLabel("Name").fill(name);
  await card.getByLabel("From").fill(from);
  await card.getByLabel("to").fill(to);
  await card.getByRole("button", { name: "Create the period" }).click();
}

/** Waits until the squad of these recordings is read and has all its figures. The view then stops moving. */
async function isRead(page: Page, recordings: number): Promise<void> {
  await status(page).getByText(`${recordings} recordings undamaged`).waitFor();
  await page.locator('.squad[aria-busy="false"]').waitFor();
}

async function openSquad(page: Page, session: number): Promise<void> {
  await showView(page, `#/sessions/${session}`, /./);
  await page.getByRole("link", { name: "Open the squad" }).click();
  await isRead(page, 3);
}

const periodsOf = (session: number) =>
  unwrap(
    scene.client.GET("/api/v2/sessions/{session}/periods/", { params: { path: { session } } }),
  ) as Promise<{ name: string; start_time: string | null; end_time: string | null }[]>;

describe.skipIf(hasNoBrowser)("sessions of a manager", () => {
  useBrowser();
  beforeAll(async () => {
    scene = await squadScene(service, "selma", ["Keller", "Meier", "Roth"]);
    await storeRecordings(scene);
  });

  it("open in the squad view with the players, and save periods that are created there", async () => {
    const session = await scene.session("Derby");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(
      /^Derby Sat, 16 May 2026 · 3 players/,
    );
    expect(await rows(page).locator("th").allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^1\s*Keller/), expect.stringMatching(/^3\s*Roth/)]),
    );
    // the page names the player without a device, and does not mention storage in this browser
    await status(page).getByRole("button", { name: "1 to check" }).click();
    await page.getByText("Vogel has no device of yours in this session.").waitFor();
    expect(await page.getByText(/Kept in this browser/).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await makePeriod(page, "Pressing", "14:05", "14:10");
    await expect.poll(() => minutes(page)).toBe("5");
    await status(page).getByText("The periods are saved to the session.").waitFor();
    expect(await periodsOf(session)).toEqual([
      {
        name: "Pressing",
        start_time: "2026-05-16T12:05:00.000Z",
        end_time: "2026-05-16T12:10:00.000Z",
        athlete: null,
      },
    ]);
    await page.reload();
    await page
      .locator("thead")
      .getByRole("button", { name: /^Pressing, 14:05:00 to 14:10:00/ })
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Back to the session" }).click();
    await page.getByRole("heading", { level: 1, name: "Derby" }).waitFor();
    await page.getByText("Pressing, 14:05 to 14:10").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("send nothing to the service when they are opened, and name athletes whose times it refuses", async () => {
    const former = await squadScene(service, "silas", ["Arber", "Brand", "Cesar"]);
    await storeRecordings(former);
    const session = await former.session("Cup");
    const path = { session };
    const members: Resource["Member"][] = [];
    for await (const member of former.client.list("/api/v2/members/")) members.push(member);
    const brand = members.find(({ number }) => number === 2);
    const athlete = brand?.athlete ?? 0;
    const times = { start_time: "2026-05-16T12:00:00.000Z", end_time: "2026-05-16T12:04:00.000Z" };
    const stored = [
      { name: "Start", ...times, athlete: null },
      { name: "Start", start_time: null, end_time: null, athlete },
    ];
    const address = "/api/v2/sessions/{session}/periods/";
    await unwrap(former.client.PUT(address, { params: { path }, body: stored }));
    await unwrap(
      former.client.DELETE("/api/v2/members/{member}/", { params: { path: { member: brand?.id ?? 0 } } }),
    );
    const rows = () => unwrap(former.client.GET(address, { params: { path } }));
    const page = await openSignedIn(service, former);
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PUT") sent++;
    });
    await showView(page, `#/sessions/${session}/squad`, /./);
    await isRead(page, 2);
    await page.getByText("Changes to the periods are saved to the session at once.").waitFor();
    await page.getByRole("link", { name: "Back to the session" }).click();
    await page.getByRole("heading", { level: 1, name: "Cup" }).waitFor();
    expect([sent, await rows()]).toEqual([0, stored]);
    await page.getByRole("link", { name: "Open the squad" }).click();
    await isRead(page, 2);
    expectComplaint(/400 \(Bad Request\)/);
    await makePeriod(page, "Pressing", "14:05", "14:10");
    await status(page)
      .getByText(`not in the squad at the time of the session: athlete ${athlete}.`)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await rows()).toEqual(stored);
    await page.getByRole("button", { name: "Save without these times" }).click();
    await status(page).getByText("The periods are saved to the session.").waitFor();
    expect(await rows()).toMatchObject([
      { name: "Start", athlete: null },
      { name: "Pressing", athlete: null },
    ]);
  });

  it("show the number of players being computed, and their data when all are computed", async () => {
    const session = await scene.session("Later");
    const page = await openSignedIn(service, scene);
    let isComputed = false;
    await page.route(/\/figures\/\?wait=0$/, async (route) => {
      const response = await route.fetch();
      const table = await response.json();
      const computing = ["Keller", "Meier"].map((player, athlete) => ({ athlete, player }));
      await route.fulfill({ response, json: isComputed ? table : { ...table, rows: [], computing } });
    });
    await showView(page, `#/sessions/${session}`, "Later");
    await page.getByText("3 players, computing 2 of them…").waitFor();
    isComputed = true;
    await page.getByText("4 players, 3 with data").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("show the figures of the service in the squad view", async () => {
    const session = await scene.session("Figures");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session);
    const figures = await unwrap(
      scene.client.GET("/api/v2/sessions/{session}/figures/", { params: { path: { session } } }),
    );
    if (typeof figures === "string") throw new Error("The table is a text.");
    for (const { player, figures: own } of figures.rows) {
      const distance = Math.round(Number(own.distance_m)).toLocaleString("en-GB");
      await rows(page).filter({ hasText: player }).getByText(distance, { exact: true }).waitFor();
    }
  });

  it("are created from dropped recordings, up to the table of a period", async () => {
    const fresh = await squadScene(service, "sonja", ["Arber", "Brand", "Cesar", "Dukic"]);
    const page = await openSignedIn(service, fresh);
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    await page.getByText("No sessions in this month").waitFor();
    await page.getByRole("link", { name: "Recordings", exact: true }).click();
    await page.getByRole("region", { name: "Upload recordings" }).waitFor();
    const dropped = await page.evaluateHandle(
      (files) => {
        const data = new DataTransfer();
        for (const { name, bytes } of files) data.items.add(new File([new Uint8Array(bytes)], name));
        return data;
      },
      fresh.files.map(({ name, buffer }) => ({ name, bytes: [...buffer] })),
    );
    await page.dispatchEvent("main", "drop", { dataTransfer: dropped });
    await page.getByText("4 files: 4 done.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Create a session from these" }).click();
    await page.getByLabel("Name").fill("Round 3");
    await page.getByLabel("Place").fill("Home");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Create the session" }).click();
    await page.getByRole("heading", { level: 1, name: "Round 3" }).waitFor();
    await page.getByText("5 players, 4 with data").waitFor();
    await page.getByText("Vogel has no device of yours in this session.").waitFor();
    await page.getByRole("link", { name: "Open the squad" }).click();
    await isRead(page, 4);
    await makePeriod(page, "Drill", "14:05", "14:10");
    await status(page).getByText("The periods are saved to the session.").waitFor();
    // Undo is saved too
    await page.keyboard.press("Control+z");
    await expect.poll(() => chips(page).filter({ hasText: "Drill" }).count()).toBe(0);
    await status(page).getByText("The periods are saved to the session.").waitFor();
    await page.getByRole("link", { name: "Back to the session" }).click();
    await page.getByText("There are no periods yet.").waitFor();
    await showView(page, "#/sessions?month=2026-05-01", "Sessions");
    const item = page.getByRole("link", { name: /^Round 3/ });
    expect(await item.innerText()).toMatch(/Round 3\s+14:00 Match\s+First team, 5 players/);
    expect(await violations(page)).toEqual([]);
  });

  it("are replaced by a range that the user opens, and the Back button returns to the squad", async () => {
    const session = await scene.session("Friendly");
    const page = await openSignedIn(service, scene);
    await openSquad(page, session);
    await page.getByRole("link", { name: "Recordings", exact: true }).click();
    await page.getByRole("button", { name: /^Open Sat, 16 May 2026/ }).click();
    await page.locator(".cards").waitFor();
    expect(await page.locator(".squad-table").count()).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Recordings" }).waitFor();
    await page.goBack();
    await status(page).getByText("3 recordings undamaged").waitFor();
    await rows(page).first().locator("button.player").click();
    await page.locator(".cards").waitFor();
    await page.getByRole("button", { name: "Back to the squad" }).click();
    await status(page).getByText("3 recordings undamaged").waitFor();
  });

  it("keep the rows and the place of a search after Back", async () => {
    for (let n = 10; n < 70; n++) await scene.session(`Testimonial ${n}`);
    const page = await openSignedIn(service, scene, { hash: "#/sessions" });
    await page.getByLabel("Search sessions").fill("testimonial");
    const found = page.locator(".records tbody tr");
    await page.getByText("The first 50 of 60").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => found.count()).toBe(60);
    const last = found.last().getByRole("link");
    await last.scrollIntoViewIfNeeded();
    const place = () => page.evaluate(() => (history.state as { place?: number } | null)?.place ?? 0);
    await expect.poll(place).toBeGreaterThan(100);
    await last.click();
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "Testimonial" }).waitFor();
    await page.goBack();
    await expect.poll(() => found.count()).toBe(60);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
  });

  it("are found by a search, edited and deleted", async () => {
    await scene.session("Cup final");
    const page = await openSignedIn(service, scene, { hash: "#/sessions?month=2026-05-01" });
    await page.getByLabel("Search sessions").fill("cup");
    await page.getByRole("link", { name: "Cup final" }).click();
    await page.getByRole("heading", { level: 1, name: "Cup final" }).waitFor();
    await page.getByRole("button", { name: "Edit…" }).click();
    const form = page.getByRole("dialog", { name: "Edit Cup final" });
    await form.getByLabel("End").fill("2026-05-16T13:00");
    expectComplaint(/400 \(Bad Request\)/);
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("End must be later than Start.").waitFor();
    await form.getByLabel("End").fill("2026-05-16T14:30");
    await form.getByLabel("Name").fill("Cup, final");
    await form.getByLabel("Notes").fill("Rain");
    expect(await violations(page)).toEqual([]);
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Cup, final" }).waitFor();
    await page.getByText("Rain").waitFor();
    await page.getByRole("button", { name: "Delete the session…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the session" }).click();
    await page.getByText("Cup, final is deleted.").waitFor();
    await page.getByLabel("Search sessions").fill("cup");
    await page.getByText("No session has “cup” in its name").waitFor();
  });
});
