import { type Resource, unwrap } from "asi-client";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, useBrowser } from "./page.js";
import { type SquadPeople, squadOf, squadPeople } from "./season-scene.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const OPEN_END = "2999-12-31T23:59:59.000Z";
const NAMES = ["Ann Ash", "Bea Bell", "Cleo Cole"];

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const membersOf = ({ client }: SquadPeople): Promise<Resource["Member"][]> =>
  all(client.list("/api/v2/members/"));
const assignmentsOf = ({ client }: SquadPeople): Promise<Resource["Assignment"][]> =>
  all(client.list("/api/v2/assignments/"));

const serialOf = async ({ client }: SquadPeople, device: number): Promise<string> =>
  (await unwrap(client.GET("/api/v1/devices/{device}/", { params: { path: { device } } }))).serial_number;

const dialog = (page: Page) => page.getByRole("dialog");
const said = (page: Page, text: string) => page.locator(".announcements").getByText(text).waitFor();

describe.skipIf(hasNoBrowser)("squads", () => {
  useBrowser();

  it("are created, and accept players, new thresholds from a date, and reassigned trackers", async () => {
    const people = await squadPeople(service, "sofia", NAMES);
    const [ann = 0, bea = 0, cleo = 0] = people.athletes.map(({ id }) => id);
    const page = await openSignedIn(service, people, { timezoneId: "UTC" });
    await showView(page, "#/squads", "Squads");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "New squad…" }).click();
    await dialog(page).getByLabel("Name").fill("First team");
    await page.getByRole("button", { name: "Create the squad" }).click();
    await page.getByRole("heading", { level: 1, name: "First team" }).waitFor();

    await page.getByRole("button", { name: "Add players…" }).click();
    await dialog(page).getByLabel("Search by name").fill("cole");
    expect(await dialog(page).getByRole("checkbox").count()).toBe(1);
    await dialog(page).getByLabel("Search by name").fill("");
    for (const name of NAMES) await dialog(page).getByLabel(name).check();
    await dialog(page).getByLabel("From").fill("2026-01-01T00:00");
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Add 3 players" }).click();
    await page.getByRole("row", { name: /Cleo Cole/ }).waitFor();

    await page.getByRole("button", { name: "Change Ann Ash" }).click();
    await dialog(page).getByLabel("Number").fill("9");
    await dialog(page).getByLabel("Position").fill("FW");
    await dialog(page).getByLabel("High speed from, km/h").fill("18");
    await dialog(page).getByLabel("Sprint from, km/h").fill("25.2");
    await dialog(page).getByLabel("Maximum heart rate").fill("192");
    await dialog(page).getByLabel("From", { exact: true }).fill("2026-03-01T00:00");
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /Ann Ash.*25\.2/ }).waitFor();
    const ofAnn = (await membersOf(people)).filter(({ athlete }) => athlete === ann);
    expect(
      ofAnn.map(({ params, number, start_time, end_time }) => ({ params, number, start_time, end_time })),
    ).toEqual([
      {
        params: {},
        number: null,
        start_time: "2026-01-01T00:00:00.000Z",
        end_time: "2026-03-01T00:00:00.000Z",
      },
      {
        params: { hid_thresholds: [4, 5], sprint_threshold: 7, max_hr: 192 },
        number: 9,
        start_time: "2026-03-01T00:00:00.000Z",
        end_time: OPEN_END,
      },
    ]);
    expect(await page.getByRole("row", { name: /Ann Ash/ }).count()).toBe(1);
    await page.getByLabel("Show earlier memberships").check();
    expect(await page.getByRole("row", { name: /Ann Ash/ }).count()).toBe(2);

    await page.getByRole("link", { name: "Trackers" }).click();
    await page.getByText("Without a tracker: Ann Ash, Bea Bell, Cleo Cole").waitFor();
    const assign = async (tracker: string, player: string) => {
      await page.getByRole("button", { name: "Assign a tracker…" }).click();
      await dialog(page).getByLabel("Tracker").selectOption({ label: tracker });
      await dialog(page).getByLabel("Player").selectOption({ label: player });
      await dialog(page).getByLabel("From").fill("2026-01-01T00:00");
      await dialog(page).getByRole("button", { name: "Assign" }).click();
      await page.getByRole("row", { name: `${tracker} ${player}` }).waitFor();
    };
    await assign("tracker 1 (SOFIA-1)", "Ann Ash");
    await assign("tracker 2 (SOFIA-2)", "Bea Bell");
    await page.getByText("Without a tracker: Cleo Cole").waitFor();
    await page.getByRole("button", { name: "Reassign: tracker 1 (SOFIA-1) of Ann Ash" }).click();
    await dialog(page).getByLabel("To").selectOption({ label: "Cleo Cole" });
    await dialog(page).getByLabel("From").fill("2026-04-01T00:00");
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Reassign" }).click();
    await page.getByRole("row", { name: "tracker 1 (SOFIA-1) Cleo Cole" }).waitFor();
    const [first = 0, second = 0] = people.devices.map(({ id }) => id);
    const seen = await assignmentsOf(people);
    expect(
      seen.map(({ device, athlete, start_time, end_time }) => [device, athlete, start_time, end_time]),
    ).toEqual([
      [first, ann, "2026-01-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z"],
      [second, bea, "2026-01-01T00:00:00.000Z", OPEN_END],
      [first, cleo, "2026-04-01T00:00:00.000Z", OPEN_END],
    ]);
    await page.getByLabel("Show earlier wearers").check();
    await page.getByRole("row", { name: "tracker 1 (SOFIA-1) Ann Ash" }).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole("button", { name: "Rename…" }).click();
    await dialog(page).getByLabel("Name").fill("Women");
    await dialog(page).getByRole("button", { name: "Save the name" }).click();
    await page.getByRole("heading", { level: 1, name: "Women" }).waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete the squad" }).click();
    await page.getByText("You have no squads.").waitFor();
  });

  it("do not change their players and trackers if a later part of a change is refused", async () => {
    const people = await squadPeople(service, "sanna", NAMES);
    const squad = await squadOf(people, "First team");
    const [before, worn] = [await membersOf(people), await assignmentsOf(people)];
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}`, "First team");
    expectComplaint(/status of 409/);
    const refused = { status: 409, headers: { "X-Request-Id": "abc" }, json: { detail: "Not now." } };
    await page.route(/members\/\d+\/$/, (route) =>
      route.request().method() === "PATCH" ? route.fulfill(refused) : route.continue(),
    );
    let refusals = 0;
    await page.route(/assignments\/$/, (route) => {
      if (route.request().method() !== "POST") return route.continue();
      refusals++;
      return route.fulfill(refused);
    });
    await page.getByRole("button", { name: "Change Ann Ash" }).click();
    await dialog(page).getByLabel("Number").fill("99");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText("Not now.").waitFor();
    expect(await membersOf(people)).toEqual(before);
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Trackers" }).click();
    await page.getByRole("button", { name: /^Reassign: .* of Bea Bell$/ }).click();
    await dialog(page).getByRole("button", { name: "Reassign" }).click();
    await dialog(page).getByText("Not now.").waitFor();
    expect(await assignmentsOf(people)).toEqual(worn);
    // an end that the page does not show yet is kept too
    const ofBea = worn.find(({ athlete }) => athlete === people.athletes[1]?.id);
    const end_time = "2998-12-31T00:00:00.000Z";
    const params = { path: { assignment: ofBea?.id ?? 0 } };
    await unwrap(people.client.PATCH("/api/v2/assignments/{assignment}/", { params, body: { end_time } }));
    await dialog(page).getByRole("button", { name: "Reassign" }).click();
    await expect.poll(() => refusals).toBe(2);
    await dialog(page).locator("form[aria-busy=false]").waitFor();
    await dialog(page).getByText("Not now.").waitFor();
    expect(await assignmentsOf(people)).toEqual(
      worn.map((one) => (one.id === ofBea?.id ? { ...one, end_time } : one)),
    );
  });

  it("show errors of the service at the field of the form", async () => {
    const people = await squadPeople(service, "silja", ["Ann Ash"]);
    const squad = await squadOf(people, "First team");
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}`, "First team");
    expectComplaint(/status of 400/);
    await page.getByRole("button", { name: "Change Ann Ash" }).click();
    await dialog(page).getByLabel("Applies").selectOption("whole");
    await dialog(page).getByLabel("Until").fill("2024-01-01T00:00");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText("Until must be later than From.").waitFor();
    expect(await dialog(page).locator("[aria-invalid]").getAttribute("name")).toBe("end_time");
  });

  it("have bulk actions for selected players, a search, and a sort order", async () => {
    const people = await squadPeople(service, "saga", NAMES);
    const squad = await squadOf(people, "First team");
    const page = await openSignedIn(service, people, { timezoneId: "UTC" });
    await showView(page, `#/squads/${squad}`, "First team");
    const names = () => page.locator("tbody th").allInnerTexts();
    await expect.poll(names).toEqual(NAMES);
    await page.getByRole("button", { name: "Number" }).click();
    await page.getByRole("button", { name: "Number ▲" }).click();
    expect(await names()).toEqual([...NAMES].reverse());
    expect(await page.getByRole("columnheader", { name: "Number" }).getAttribute("aria-sort")).toBe(
      "descending",
    );
    await page.getByRole("searchbox").fill("b");
    expect(await names()).toEqual(["Bea Bell"]);
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("Choose Ann Ash").check();
    await page.getByLabel("Choose Cleo Cole").check();
    await page.getByText("2 chosen").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "End…" }).click();
    await dialog(page).getByLabel("Until").fill("2026-02-01T00:00");
    await dialog(page).getByRole("button", { name: "End" }).click();
    await said(page, "Ended.");
    await expect.poll(names).toEqual(["Bea Bell"]);
    expect((await membersOf(people)).map(({ end_time }) => end_time)).toEqual([
      "2026-02-01T00:00:00.000Z",
      OPEN_END,
      "2026-02-01T00:00:00.000Z",
    ]);
    await page.getByLabel("Show earlier memberships").check();
    await page.getByLabel("Choose all 3").check();
    await page.locator(".chosen-rows").getByRole("button", { name: "Delete…" }).click();
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await page.getByText("This squad has no players.").waitFor();
    expect(await membersOf(people)).toEqual([]);
  });

  it("show 50 of 60 players, and the others on request and on paper", async () => {
    const people = await squadPeople(service, "svea", []);
    const { id: squad } = await unwrap(people.client.POST("/api/v2/squads/", { body: { name: "Club" } }));
    for (let n = 10; n < 70; n++) {
      const athlete_profile = { first_name: "Player", last_name: String(n) };
      const { id: athlete } = await unwrap(
        people.client.POST("/api/v1/athletes/create-managed/", {
          body: { managed_by: people.id, athlete_profile },
        }),
      );
      const body = { squad, athlete, number: 100 - n, start_time: "2026-01-01T00:00:00Z" };
      await unwrap(people.client.POST("/api/v2/members/", { body }));
    }
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}`, "Club");
    const rows = page.locator("tbody tr");
    await page.getByText("The first 50 of 60").waitFor();
    expect(await rows.count()).toBe(50);
    // browsers read the page at once
    const printed = page.evaluate(() => {
      dispatchEvent(new Event("beforeprint"));
      return document.querySelectorAll("tbody tr").length;
    });
    expect(await printed).toBe(60);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    expect(await rows.count()).toBe(50);
    await page.getByRole("button", { name: "Show more" }).click();
    expect(await rows.count()).toBe(60);
    await page.getByRole("searchbox").fill("player 69");
    expect(await rows.count()).toBe(1);
  });

  it("offer a text with a link that requests permissions and fills in the form of the athlete", async () => {
    const people = await squadPeople(service, "stina", ["Ann Ash"]);
    const squad = await squadOf(people, "First team");
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}`, "First team");
    await page.getByRole("button", { name: "Ask for permission…" }).click();
    const text = await dialog(page).getByLabel("Text for the athletes").inputValue();
    expect(await dialog(page).innerText()).toContain("One player is managed by you");
    const mail = await dialog(page).getByRole("link", { name: "Write an email" }).getAttribute("href");
    expect(new URLSearchParams(mail?.split("?")[1]).get("body")).toBe(text);
    expect(await violations(page)).toEqual([]);
    const [, hash = ""] = /(#\S+)/.exec(text) ?? [];
    await service.athlete("tilda", { first_name: "Tilda" });
    const athlete = await openSignedIn(service, { username: "tilda" });
    await showView(athlete, hash, "Permissions");
    expect(await athlete.getByLabel("Number of the manager").inputValue()).toBe(String(people.id));
    expect(await athlete.getByLabel("Username of the manager").inputValue()).toBe("stina");
    const may = await athlete
      .getByRole("checkbox")
      .evaluateAll((boxes) =>
        boxes.map((box) => [(box as HTMLInputElement).name, (box as HTMLInputElement).checked]),
      );
    expect(may).toEqual([
      ["READ", true],
      ["WRITE", true],
      ["SHARE", false],
    ]);
    await athlete.getByRole("button", { name: "Continue" }).click();
    await athlete.getByRole("button", { name: "Give the permission" }).click();
    await athlete.getByText("The permission is given.").first().waitFor();
  });

  it("import roster.csv, and report errors by line", async () => {
    const people = await squadPeople(service, "signe", ["Ann Ash", "Bea Bell"]);
    const { id: squad } = await unwrap(people.client.POST("/api/v2/squads/", { body: { name: "Club" } }));
    const page = await openSignedIn(service, people, { timezoneId: "Europe/Zurich" });
    await showView(page, `#/squads/${squad}`, "Club");
    expectComplaint(/status of 400/);
    const csv = "player,number,serial\nAnn Ash,7,SIGNE-1\nCleo Cole,8,SIGNE-2\n";
    await page.getByRole("button", { name: "Import roster.csv…" }).click();
    await dialog(page)
      .getByLabel("File")
      .setInputFiles({ name: "roster.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await dialog(page).getByLabel("From").fill("2026-01-01T00:00");
    await dialog(page).getByRole("button", { name: "Import" }).click();
    await dialog(page).getByText("Nothing is imported.").waitFor();
    expect(await dialog(page).getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/^Line 3: .*Cleo Cole/),
    ]);
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByLabel("Add athletes whom the service does not know").check();
    await dialog(page).getByRole("button", { name: "Import" }).click();
    await dialog(page)
      .getByText("New: 1 athlete, 2 players and 2 trackers. Changed: 0. Unchanged: 0.")
      .waitFor();
    const { results } = await unwrap(people.client.GET("/api/v2/members/", { params: { query: { squad } } }));
    expect(results.map(({ number, start_time }) => [number, start_time]).sort()).toEqual([
      [7, "2025-12-31T23:00:00.000Z"],
      [8, "2025-12-31T23:00:00.000Z"],
    ]);
  });

  it("list later values that a roster has kept, and replace them on request", async () => {
    const people = await squadPeople(service, "sunniva", ["Ann Ash", "Bea Bell"]);
    const squad = await squadOf(people, "First team");
    const [ann = 0, bea = 0] = people.athletes.map(({ id }) => id);
    const [member] = (await membersOf(people)).filter(({ athlete }) => athlete === ann);
    const [worn] = (await assignmentsOf(people)).filter(({ athlete }) => athlete === ann);
    const from = new Date().toISOString();
    await unwrap(
      people.client.PATCH("/api/v2/members/{member}/", {
        params: { path: { member: member?.id ?? 0 } },
        body: { number: 17, from },
      }),
    );
    const params = { path: { assignment: worn?.id ?? 0 } };
    await unwrap(
      people.client.PATCH("/api/v2/assignments/{assignment}/", { params, body: { end_time: from } }),
    );
    const body = { device: worn?.device ?? 0, athlete: bea, start_time: from };
    await unwrap(people.client.POST("/api/v2/assignments/", { body }));
    const page = await openSignedIn(service, people, { timezoneId: "UTC" });
    await showView(page, `#/squads/${squad}`, "First team");
    await page.getByRole("button", { name: "Change Ann Ash" }).click();
    const changedFrom = await dialog(page).getByLabel("From", { exact: true }).inputValue();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Import roster.csv…" }).click();
    const importedFrom = await dialog(page).getByLabel("From", { exact: true }).inputValue();
    expect(Date.parse(importedFrom) - Date.parse(changedFrom)).toBeLessThan(600_000);
    const serial = await serialOf(people, worn?.device ?? 0);
    const csv = `player,number,serial\nAnn Ash,7,${serial}\n`;
    await dialog(page)
      .getByLabel("File")
      .setInputFiles({ name: "roster.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await dialog(page)
      .getByLabel("From", { exact: true })
      .fill(`${from.slice(0, 10)}T00:00`);
    await dialog(page).getByRole("button", { name: "Import", exact: true }).click();
    await dialog(page).getByText("These later values differ from the file and remain:").waitFor();
    expect(await dialog(page).getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/^Line 2: Ann Ash, from .*: number 17$/),
      expect.stringMatching(new RegExp(`^Line 2: Ann Ash, from .*: ${serial} worn by Bea Bell$`)),
    ]);
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Replace these too" }).click();
    await dialog(page).getByText("trackers. Changed: 2.").waitFor();
    const rows = (await membersOf(people)).filter(({ athlete }) => athlete === ann);
    const wearers = (await assignmentsOf(people)).filter(({ device }) => device === worn?.device);
    expect(rows.map(({ number, end_time }) => [number, end_time])).toEqual([
      [7, from],
      [7, OPEN_END],
    ]);
    expect(wearers.map(({ athlete }) => athlete)).toEqual([ann, ann]);
  });

  it("keep the umlauts of a roster in Windows-1252 and UTF-16", async () => {
    const people = await squadPeople(service, "synnove", ["Ann Ash"]);
    const { id: squad } = await unwrap(people.client.POST("/api/v2/squads/", { body: { name: "Club" } }));
    const page = await openSignedIn(service, people);
    await showView(page, `#/squads/${squad}`, "Club");
    for (const [name, encoding] of [
      ["Jörg Müller", "latin1"],
      ["René Groß", "utf16le"],
    ] as const) {
      const csv = `${encoding === "utf16le" ? "\ufeff" : ""}player;number;serial\r\n${name};7;\r\n`;
      await page.getByRole("button", { name: "Import roster.csv…" }).click();
      await dialog(page)
        .getByLabel("File")
        .setInputFiles({ name: "roster.csv", mimeType: "text/csv", buffer: Buffer.from(csv, encoding) });
      await dialog(page).getByLabel("Add athletes whom the service does not know").check();
      await dialog(page).getByRole("button", { name: "Import", exact: true }).click();
      await dialog(page).getByText("New: 1 athlete, 1 player").waitFor();
      await dialog(page).getByRole("button", { name: "Close", exact: true }).last().click();
      await page.getByRole("row", { name: new RegExp(name) }).waitFor();
    }
  });

  it("fit on a phone", async () => {
    const people = await squadPeople(service, "sunna", NAMES);
    const squad = await squadOf(people, "First team");
    const page = await openSignedIn(service, people, { viewport: { width: 360, height: 800 } });
    for (const [hash, heading] of [
      ["#/squads", "Squads"],
      [`#/squads/${squad}`, "First team"],
      [`#/squads/${squad}/trackers`, "First team"],
    ] as const) {
      await showView(page, hash, heading);
      await page.locator("tbody tr").first().waitFor();
      expect(await overflow(page), hash).toBe(0);
      expect(await violations(page), hash).toEqual([]);
    }
  });

  it("hide their sessions from athletes, and the page explains why", async () => {
    await service.athlete("sigrun", { first_name: "Sigrun" });
    const page = await openSignedIn(
      service,
      { username: "sigrun" },
      { viewport: { width: 360, height: 800 } },
    );
    expectComplaint(/status of 403/);
    await page.route("**/api/v2/squads/", (route) =>
      route.fulfill({
        status: 403,
        headers: { "X-Request-Id": "abc", "X-Error-Code": "permission_denied" },
        json: { detail: "No.", code: "permission_denied" },
      }),
    );
    await showView(page, "#/my-sessions", "My sessions");
    await page.getByText("This service does not show sessions to athletes.").waitFor();
    expect([await overflow(page), await violations(page)]).toEqual([0, []]);
  });
});
