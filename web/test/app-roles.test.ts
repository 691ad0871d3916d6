import { readFileSync } from "node:fs";
import { type Resource, unwrap } from "asi-client";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { hasNoBrowser, useBrowser } from "./page.js";
import { compute, playSeason, type SquadPeople, squadOf, squadPeople } from "./season-scene.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const NAMES = ["Ann Ash", "Bea Bell"];

const dialog = (page: Page) => page.getByRole("dialog");
const heads = (page: Page) => page.locator("table.chosen-table th[scope=col]").allInnerTexts();
const tabs = (page: Page) => page.getByRole("navigation", { name: "Parts of the squad" }).getByRole("link");

interface Scene {
  owner: SquadPeople;
  squad: number;
  session: number;
}

/** Creates a squad with a computed match with heart rates. Ann has a maximum heart rate. */
async function sceneOf(username: string): Promise<Scene> {
  const owner = await squadPeople(service, username, NAMES);
  const squad = await squadOf(owner, "First team");
  const { results } = await unwrap(owner.client.GET("/api/v2/members/"));
  const params = { path: { member: results[0]?.id ?? 0 } };
  const body = { params: { max_hr: 190 } };
  await unwrap(owner.client.PATCH("/api/v2/members/{member}/", { params, body }));
  const sessions = await playSeason(owner, squad, [[3], [4]], { hr: 150 });
  await compute(owner, sessions);
  return { owner, squad, session: sessions[0] ?? 0 };
}

/** Invites a manager and accepts the invitation with the requests of the owner and the guest. */
async function letIn({ owner, squad }: Scene, username: string, role: "coach" | "analyst" | "physician") {
  await service.manager(username);
  const params = { path: { squad } };
  await unwrap(owner.client.POST("/api/v2/squads/{squad}/grants/", { params, body: { username, role } }));
  const client = await service.clientOf(username);
  const { results } = await unwrap(client.GET("/api/v2/invitations/"));
  const invitation = { path: { invitation: results[0]?.id ?? 0 } };
  await unwrap(client.POST("/api/v2/invitations/{invitation}/accept/", { params: invitation }));
}

describe.skipIf(hasNoBrowser)("roles in a squad", () => {
  useBrowser();

  it("give an invited coach read access to sessions and the season, until the owner revokes the role", async () => {
    const scene = await sceneOf("orla");
    await service.manager("carla");
    const owner = await openSignedIn(service, scene.owner);
    await showView(owner, `#/squads/${scene.squad}`, "First team");
    await owner.getByRole("link", { name: "Access" }).click();
    await owner.getByText("No one is invited to this squad.").waitFor();
    await owner.getByRole("button", { name: "Invite…" }).click();
    await dialog(owner).getByLabel("Username").fill("carla");
    await dialog(owner).getByLabel("Role").selectOption("coach");
    expect(await violations(owner)).toEqual([]);
    await dialog(owner).getByRole("button", { name: "Invite" }).click();
    await owner.getByRole("row", { name: /carla.*Coach.*not yet/ }).waitFor();
    expect(await violations(owner)).toEqual([]);

    const phone = { viewport: { width: 390, height: 800 } };
    const coach = await openSignedIn(service, { username: "carla" }, phone);
    await showView(coach, "#/sessions?month=2026-04-01", "Sessions");
    await coach.getByText("orla invites you to First team as coach: you may read").waitFor();
    expect(await violations(coach)).toEqual([]);
    expect(await overflow(coach)).toBeLessThanOrEqual(0);
    await coach.getByRole("button", { name: "Accept: First team" }).click();
    await coach.getByText("orla invites you").waitFor({ state: "detached" });
    await coach.getByRole("link", { name: /Round 1/ }).waitFor();

    await showView(coach, "#/squads", "Squads");
    await coach.getByRole("row", { name: /First team.*Coach/ }).waitFor();
    await coach.getByLabel("Choose First team").check();
    await coach.getByText("Only the owner can delete a squad.").waitFor();
    await coach.getByRole("link", { name: "First team", exact: true }).click();
    await coach.getByText("orla owns this squad. As coach, you may read the sessions").waitFor();
    await coach.getByRole("row", { name: /Ann Ash/ }).waitFor();
    expect(await tabs(coach).allInnerTexts()).toEqual(["Players", "Season"]);
    expect(await heads(coach)).not.toContain("Max. HR");
    for (const name of ["Rename…", "Delete…", "Import roster.csv…", "Add players…"])
      expect(await coach.getByRole("button", { name }).count()).toBe(0);
    expect(await violations(coach)).toEqual([]);
    expect(await overflow(coach)).toBeLessThanOrEqual(0);
    await coach.getByRole("link", { name: "Season" }).click();
    await coach.getByText("Ann Ash").first().waitFor();

    await showView(coach, `#/sessions/${scene.session}`, "Round 1");
    // an hour at 4 m/s, without the last second
    await coach.getByRole("row", { name: /Bea Bell.*14,396/ }).waitFor();
    expect((await heads(coach)).join()).not.toMatch(/heart|impulse/i);
    await coach.getByText("The owner and physicians of the squad also see heart-rate figures.").waitFor();
    for (const name of ["Edit…", "Delete the session…", "Replace by periods.csv…"])
      expect(await coach.getByRole("button", { name }).count()).toBe(0);
    expect(await coach.getByRole("link", { name: "Open the squad" }).count()).toBe(0);
    expect(await violations(coach)).toEqual([]);
    expect(await overflow(coach)).toBeLessThanOrEqual(0);
    const saved = async (name: string) => {
      const file = coach.waitForEvent("download");
      await coach.getByRole("button", { name }).click();
      return readFileSync(await (await file).path());
    };
    const csv = (await saved("CSV")).toString();
    expect(csv).toMatch(/,Bea Bell,.*,14396,/);
    expect(csv).not.toMatch(/_hr|hr_|trimp/);
    // the file is a zip archive
    expect((await saved("Excel (.xlsx)")).subarray(0, 2).toString()).toBe("PK");
    await showView(coach, "#/sessions/new", "New session");
    await coach.getByText("You have no squad yet").waitFor();
    await coach.goto(`${service.address}#/sessions/${scene.session}/squad`);
    await coach.getByText("Only the owner of the squad may read the recordings.").waitFor();

    await showView(owner, `#/squads/${scene.squad}/access`, "First team");
    await owner.reload();
    await owner.getByLabel("Choose carla").check();
    await owner.getByRole("button", { name: "Withdraw…" }).click();
    await owner.getByRole("button", { name: "Withdraw", exact: true }).click();
    await owner.getByText("No one is invited to this squad.").waitFor();
    await showView(coach, "#/squads", "Squads");
    await coach.getByText("You have no squads.").waitFor();
  });

  it("are not granted to a manager who declines the invitation", async () => {
    const scene = await sceneOf("odile");
    await service.manager("dario");
    const params = { path: { squad: scene.squad } };
    const body = { username: "dario", role: "coach" as const };
    await unwrap(scene.owner.client.POST("/api/v2/squads/{squad}/grants/", { params, body }));
    const page = await openSignedIn(service, { username: "dario" });
    await showView(page, "#/squads", "Squads");
    await page.getByRole("button", { name: "Decline: First team" }).click();
    await page.getByText("odile invites you").waitFor({ state: "detached" });
    await page.getByText("You have no squads.").waitFor();
    const left = await unwrap(scene.owner.client.GET("/api/v2/squads/{squad}/grants/", { params }));
    expect(left.results).toEqual([]);
  });

  it("let an analyst change sessions and replace periods by a file, and see its errors by line", async () => {
    const scene = await sceneOf("oda");
    await letIn(scene, "anton", "analyst");
    const page = await openSignedIn(
      service,
      { username: "anton" },
      { timezoneId: "UTC", expected: [/status of 400/] },
    );
    await showView(page, `#/sessions/${scene.session}`, "Round 1");
    await page.getByRole("button", { name: "Edit…" }).click();
    await dialog(page).getByLabel("Name").fill("Final");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Final" }).waitFor();
    const choose = async (text: string, encoding: BufferEncoding = "utf8") => {
      await dialog(page)
        .getByLabel("File")
        .setInputFiles({
          name: "periods.csv",
          mimeType: "text/csv",
          buffer: Buffer.from(text, encoding),
        });
      await dialog(page).getByRole("button", { name: "Replace" }).click();
    };
    await page.getByRole("button", { name: "Replace by periods.csv…" }).click();
    await choose("period,start,end\n1st half,12:05,12:01\n");
    await dialog(page).getByText("Line 2:").waitFor();
    expect(await violations(page)).toEqual([]);
    await choose("period;start;end\n1. Hälfte;12:00;12:05\n", "latin1");
    await page.getByText("1. Hälfte, 12:00 to 12:05").waitFor();
    await page.getByRole("button", { name: "Replace by periods.csv…" }).click();
    await choose("period,start,end\n1st half,12:00,12:06\n");
    await page.getByText("1st half, 12:00 to 12:06").waitFor();
    await page.getByRole("combobox", { name: "Period" }).selectOption("1st half");
    await page.getByRole("row", { name: /Bea Bell.*1,4\d\d/ }).waitFor();
    expect((await heads(page)).join()).not.toMatch(/heart|impulse/i);
  });

  it("let an analyst change number, position and thresholds of a player from a time on, and keep the maximum heart rate", async () => {
    const scene = await sceneOf("olivera");
    await letIn(scene, "arnulf", "analyst");
    const page = await openSignedIn(service, { username: "arnulf" });
    await showView(page, `#/squads/${scene.squad}`, "First team");
    const change = async (fields: Record<string, string>, scope?: string) => {
      await page.getByRole("button", { name: "Change Ann Ash" }).click();
      expect(await dialog(page).getByLabel("Maximum heart rate").count()).toBe(0);
      expect(await dialog(page).getByLabel("Until").count()).toBe(0);
      for (const [label, value] of Object.entries(fields)) await dialog(page).getByLabel(label).fill(value);
      if (scope !== undefined) {
        await dialog(page).getByLabel("Applies").selectOption(scope);
        // Only the owner sets the times of the membership.
        for (const label of ["From", "Until"])
          expect(await dialog(page).getByLabel(label, { exact: true }).count()).toBe(0);
      }
      expect(await violations(page)).toEqual([]);
      await dialog(page).getByRole("button", { name: "Save" }).click();
      await dialog(page).waitFor({ state: "detached" });
    };
    await change({ Number: "9", Position: "FW", "Sprint from": "28" });
    await page.getByRole("row", { name: /Ann Ash.*9.*FW/ }).waitFor();
    await change({ Number: "10" }, "whole");
    await page.getByRole("row", { name: /Ann Ash.*10.*FW/ }).waitFor();
    expect(await heads(page)).not.toContain("Max. HR");
    const { results } = await unwrap(scene.owner.client.GET("/api/v2/members/"));
    const [first] = results;
    const own = results.filter(({ athlete }) => athlete === first?.athlete);
    expect(own.map(({ number, params }) => [number, params.sprint_threshold, params.max_hr])).toEqual([
      [first?.number, undefined, 190],
      [10, 7.7778, 190],
    ]);
    expect(own[0]?.end_time).toBe(own[1]?.start_time);
  });

  it("show heart-rate figures to a physician, who can leave the squad", async () => {
    const scene = await sceneOf("olaf");
    await letIn(scene, "petra", "physician");
    const page = await openSignedIn(service, { username: "petra" });
    await showView(page, `#/sessions/${scene.session}`, "Round 1");
    await page.getByRole("row", { name: /Ann Ash.*150/ }).waitFor();
    expect((await heads(page)).join()).toMatch(/Mean heart rate.*Training impulse/);
    await page.getByRole("row", { name: /Ann Ash.*–$/ }).waitFor();
    await page.route(/\/figures\/(?:\?|$)/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as Resource["SessionFigures"];
      const [row] = body.rows.filter(({ player }) => player === "Ann Ash");
      if (row === undefined) throw new Error("No row of Ann");
      row.left_out_devices = [{ serial: "TRK-9", timeframes: [] }];
      Object.assign(row, { share_with_data: 0.5, share_with_hr: 0.25, too_fast_rows: 12 });
      if (row.definition !== null) row.definition.parameters.sprint_threshold = 25;
      await route.fulfill({ response, json: body });
    });
    await page.reload();
    const marks =
      /Ann Ash.*≥.*50 %, 1 overlapping left out, HR 25 %, 12 rows too fast, no row reaches .* 90\.0 km\/h/;
    await page.getByRole("row", { name: marks }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unroute(/\/figures\/(?:\?|$)/);
    expect(await page.getByRole("button", { name: "Edit…" }).count()).toBe(0);
    // a strap that failed at half-time, in a match with extra time
    await page.route(/\/figures\//, async (route) => {
      const response = await route.fetch();
      const figures: Resource["SessionFigures"] = await response.json();
      const rows = figures.rows.map((row) => ({ ...row, share_with_hr: 0.5 }));
      await route.fulfill({ response, json: { ...figures, rows, match_note: "Without extra time." } });
    });
    await page.reload();
    await page.getByText("Without extra time.").waitFor();
    // without the last second
    expect(await page.getByRole("row", { name: /Ann Ash/ }).innerText()).toMatch(
      /\t10,797\t.*\t150\t≥150\t≥/,
    );
    await showView(page, `#/squads/${scene.squad}`, "First team");
    await page.getByRole("row", { name: /Ann Ash.*190/ }).waitFor();
    await page.getByRole("button", { name: "Leave…" }).click();
    await page.getByRole("button", { name: "Leave the squad" }).click();
    await page.getByText("You have no squads.").waitFor();
  });
});
