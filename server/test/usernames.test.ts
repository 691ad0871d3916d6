/** Tests usernames that look like another username. The operator identifies accounts by username. */
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { accounts } from "../src/store/schema.js";
import { service } from "./service.js";

const LOOK_ALIKES: [string, (name: string) => string][] = [
  ["a zero-width space inside", (name) => `${name}\u200b`],
  ["a byte order mark", (name) => `\ufeff${name}`],
  ["a soft hyphen", (name) => `b\u00ad${name}`],
  ["a tag character", (name) => `${name}\u{e0041}`],
  ["a word joiner alone", () => "\u2060"],
  ["a filler", (name) => `${name}\u3164`],
  ["a direction override", (name) => `\u202e${name}`],
  ["a space before", (name) => ` ${name}`],
  ["a space behind", (name) => `${name} `],
  ["a no-break space behind", (name) => `${name}\u00a0`],
  ["a private character", (name) => `${name}\ue000`],
  ["a character that is not assigned", (name) => `${name}\u0378`],
  ["a blank Braille pattern alone", () => "\u2800\u2800"],
  ["a blank Braille pattern behind", (name) => `${name}\u2800`],
  ["a null notehead alone", () => "\u{1d159}"],
  ["a blank hieroglyph", (name) => `${name}\u{13441}`],
  ["a halfwidth filler, which is compared as another filler", (name) => `${name}\uffa0`],
  ["a spacing accent, which is compared as a space with a mark", (name) => `\u00a8${name}`],
  ["marks alone, drawn on what is before them", () => "\u0301\u0302"],
];

it.each(LOOK_ALIKES)(
  "a username with %s is refused at registration and in a change",
  async (_name, likeness) => {
    const s = await service();
    const bob = await s.manager();
    const username = likeness(bob.username);
    const refused = { status: 400, body: { username: [expect.stringContaining("invisible characters")] } };
    const registration = { username, email: "bob@example.org", password: "a long passphrase" };
    for (const kind of ["managers", "athletes"]) {
      expect(await s.post(`/api/v1/${kind}/`, registration)).toMatchObject(refused);
    }
    const rename = (json: object) =>
      s.send("PATCH", `/api/v1/managers/${bob.id}/`, { token: bob.token, json });
    expect(await rename({ username })).toMatchObject(refused);
    expect(await rename({ username, password: "another passphrase" })).toMatchObject(refused);
  },
);

it("names in all scripts can be usernames, even with spaces inside", async () => {
  const s = await service();
  for (const name of ["Zoë Müller", "Анна", "山田太郎", "أحمد", "नमिता"]) {
    const username = `${name} ${Date.now()}`;
    const body = { username, email: "z@example.org", password: "a long passphrase" };
    expect(await s.post("/api/v1/managers/", body)).toMatchObject({ status: 201, body: { username } });
  }
});

it("the name of a person must be visible, and must not reorder the surrounding text", async () => {
  const s = await service();
  const bob = await s.manager();
  const rename = async (first_name: string) =>
    (
      await s.send("PATCH", `/api/v1/managers/${bob.id}/`, {
        token: bob.token,
        json: { manager_profile: { first_name } },
      })
    ).status;
  for (const name of [
    "\u2800",
    "\u{1d159}\u2800",
    "\u200b",
    "\u0301",
    "Ann\u202egnol",
    "Ann\u2066",
    "Ann\u2028",
  ]) {
    expect([name, await rename(name)]).toEqual([name, 400]);
  }
  for (const name of ["", "Zoë", "O’Brien", "می\u200cخواهم", "山田", "नमिता"]) {
    expect([name, await rename(name)]).toEqual([name, 201]);
  }
});

it("an account of an earlier release keeps its username if a change includes it", async () => {
  const s = await service();
  const bob = await s.manager();
  const username = `${bob.username}\u200b`;
  await s.store.database.queries.update(accounts).set({ username }).where(eq(accounts.id, bob.id));
  const { status } = await s.send("PUT", `/api/v1/managers/${bob.id}/`, {
    token: bob.token,
    json: { username, email: "new@example.org" },
  });
  expect(status).toBe(201);
});
