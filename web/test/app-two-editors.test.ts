/** Tests that forms keep what somebody else has saved while they were open. */
import { type Resource, unwrap } from "asi-client";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { held } from "./held.js";
import { hasNoBrowser, useBrowser } from "./page.js";
import { type SquadPeople, squadOf, squadPeople } from "./season-scene.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

const dialog = (page: Page) => page.getByRole("dialog");
const question = (page: Page) => page.getByRole("dialog", { name: "Somebody else has changed this" });

async function sessionOf(people: SquadPeople, start: string, end: string): Promise<Resource["SquadSession"]> {
  const squad = await squadOf(people, "First team");
  const body = {
    ...{ name: "Round 1", squad, start_time: start, end_time: end },
    ...{ kind: "match" as const, sport: "soccer" as const },
  };
  return unwrap(people.client.POST("/api/v2/sessions/", { body }));
}

const read = ({ client }: SquadPeople, session: number) =>
  unwrap(client.GET("/api/v2/sessions/{session}/", { params: { path: { session } } }));

async function openForm(page: Page, session: number): Promise<void> {
  await showView(page, `#/sessions/${session}`, "Round 1");
  await page.getByRole("button", { name: "Edit…" }).click();
  await dialog(page).getByLabel("Notes").waitFor();
}

describe.skipIf(hasNoBrowser)("a form that somebody else's change overtakes", () => {
  useBrowser();

  it("shows the new values, keeps them, and adds its own changes", async () => {
    const people = await squadPeople(service, "tove", ["Ann Ash"]);
    const { id } = await sessionOf(people, "2026-05-16T14:00:00Z", "2026-05-16T16:50:00Z");
    const page = await openSignedIn(service, people, { timezoneId: "UTC" });
    await openForm(page, id);
    const params = { path: { session: id } };
    const end_time = "2026-05-16T17:30:00Z";
    await unwrap(people.client.PATCH("/api/v2/sessions/{session}/", { params, body: { end_time } }));
    await dialog(page).getByLabel("Notes").fill("Windy");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await question(page).getByText("End: 2026-05-16 17:30:00. Saving keeps these values").waitFor();
    expect(await violations(page)).toEqual([]);
    await question(page).getByRole("button", { name: "Cancel" }).click();
    await dialog(page).getByText("Nothing is saved.").waitFor();
    expect((await read(people, id)).notes).toBeNull();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await question(page).getByRole("button", { name: "Save my changes" }).click();
    await dialog(page).waitFor({ state: "detached" });
    expect(await read(people, id)).toMatchObject({ notes: "Windy", end_time: "2026-05-16T17:30:00.000Z" });
  });

  it("replaces a value that both have changed only when confirmed", async () => {
    const people = await squadPeople(service, "tora", ["Ann Ash"]);
    const { id } = await sessionOf(people, "2026-05-16T14:00:00Z", "2026-05-16T16:50:00Z");
    const page = await openSignedIn(service, people, { timezoneId: "UTC" });
    await openForm(page, id);
    const params = { path: { session: id } };
    await unwrap(people.client.PATCH("/api/v2/sessions/{session}/", { params, body: { kind: "training" } }));
    await dialog(page).getByLabel("Kind").selectOption("other");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await question(page).getByText("Kind: Training. Saving replaces Kind by your values.").waitFor();
    await question(page).getByRole("button", { name: "Save my changes" }).click();
    await dialog(page).waitFor({ state: "detached" });
    expect((await read(people, id)).kind).toBe("other");
  });

  it("counts as saved afterwards if it stays open, except for input during the request", async () => {
    const { id, username } = await service.manager("tess");
    const client = await service.clientOf(username);
    const page = await openSignedIn(service, { username });
    await showView(page, "#/account", username);
    const body = { manager_profile: { last_name: "Winter" } };
    await unwrap(client.PATCH("/api/v1/managers/{manager}/", { params: { path: { manager: id } }, body }));
    await page.getByLabel("First name").fill("Tess");
    const { release } = await held(page, "**/api/v1/managers/*/", "PATCH");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await question(page).getByText("Last name: Winter.").waitFor();
    await question(page).getByRole("button", { name: "Save my changes" }).click();
    await page.getByLabel("ID in another system").fill("T-1");
    await release();
    await page.getByText("The profile is saved.").waitFor();
    expect(await page.getByLabel("Last name").inputValue()).toBe("Winter");
    const leaving = page.getByRole("dialog", { name: "Leave without saving?" });
    const devices = page.getByRole("link", { name: "Devices", exact: true });
    await devices.click();
    await leaving.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("ID in another system").fill("");
    await devices.click();
    await page.getByText("You have no devices.").waitFor();
  });

  it("keeps the time of a session in the repeated hour of the clock change when a note is added", async () => {
    const people = await squadPeople(service, "tyra", ["Ann Ash"]);
    const { id } = await sessionOf(people, "2026-10-25T01:30:00Z", "2026-10-25T03:00:00Z");
    const page = await openSignedIn(service, people, { timezoneId: "Europe/Zurich" });
    await openForm(page, id);
    await dialog(page).getByLabel("Notes").fill("Night training");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await dialog(page).waitFor({ state: "detached" });
    expect(await read(people, id)).toMatchObject({
      ...{ notes: "Night training", start_time: "2026-10-25T01:30:00.000Z" },
    });
  });

  it("keeps the thresholds of a player that another user has set", async () => {
    const people = await squadPeople(service, "tilla", ["Ann Ash"]);
    const squad = await squadOf(people, "First team");
    const { results } = await unwrap(people.client.GET("/api/v2/members/", { params: { query: { squad } } }));
    const params = { path: { member: results[0]?.id ?? 0 } };
    const page = await openSignedIn(service, people, { timezoneId: "UTC" });
    await showView(page, `#/squads/${squad}`, "First team");
    await page.getByRole("button", { name: "Change Ann Ash" }).click();
    await dialog(page).getByLabel("Maximum heart rate").fill("191");
    await dialog(page).getByLabel("Applies").selectOption("whole");
    const body = { position: "GK", params: { sprint_threshold: 6.1234 } };
    await unwrap(people.client.PATCH("/api/v2/members/{member}/", { params, body }));
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await question(page).getByText("Position: GK. Sprint from, km/h: 22.04.").waitFor();
    await question(page).getByRole("button", { name: "Save my changes" }).click();
    await page.getByRole("row", { name: /Ann Ash.*GK.*22\.04.*191/ }).waitFor();
    const member = await unwrap(people.client.GET("/api/v2/members/{member}/", { params }));
    expect(member).toMatchObject({
      position: "GK",
      params: { sprint_threshold: 6.1234, max_hr: 191 },
      start_time: "2025-01-01T00:00:00.000Z",
    });
  });
});
