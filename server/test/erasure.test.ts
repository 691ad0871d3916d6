/** What is left of a person whose account is deleted: who did what when, and no value of the person. */
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { service, type TestService } from "./service.js";

/** Tables in which the mark stands, over the whole database: in text, or in bytes, which are shown in hexadecimal. */
async function placesOf(s: TestService, mark: string): Promise<string[]> {
  const { queries } = s.store.database;
  const { rows: tables } = await queries.execute<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const { rows } = await queries.execute<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM ${sql.identifier(name)} AS t
        WHERE strpos(lower(t::text), ${mark}) > 0 OR strpos(t::text, ${Buffer.from(mark).toString("hex")}) > 0`,
    );
    if ((rows[0]?.count ?? 0) > 0) places.push(name);
  }
  return places;
}

/** Every field of a profile that takes text, with the mark in it. */
const profileOf = (mark: string) => ({
  external_id: `${mark}-profile`,
  first_name: `${mark} first`,
  last_name: `${mark} last`,
  nationality: `${mark} nation`,
  gender: "X",
  birth_date: "1987-03-21",
  weight: 61.25,
  height: 1.77,
});

describe("an account that is deleted", () => {
  it("leaves no value of an athlete who deletes it, in no table, and the mail that waits is not sent", async () => {
    const s = await service();
    const mark = `mark${Date.now().toString(36)}a`;
    const athlete = {
      username: `${mark}-user`,
      email: `${mark}@example.org`,
      external_id: `${mark}-external`,
      athlete_profile: profileOf(mark),
    };
    const { body } = await s.post("/api/v1/athletes/", { ...athlete, password: "a long passphrase" });
    const token = await s.logIn(athlete.username, "a long passphrase");
    const changed = await s.send("PATCH", `/api/v1/athletes/${body.id}/`, {
      token,
      json: { username: `${mark}-renamed`, athlete_profile: { first_name: `${mark} second` } },
    });
    expect(changed.status).toBe(201);
    expect(await placesOf(s, mark)).toEqual(expect.arrayContaining(["accounts", "audit_log", "jobs"]));
    expect((await s.send("DELETE", `/api/v1/athletes/${body.id}/`, { token })).status).toBe(204);
    expect(await placesOf(s, mark)).toEqual([]);
    expect(await placesOf(s, "1987-03-21")).toEqual([]);
    const kept = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(sql`${auditLog.entity} = 'account' AND ${auditLog.entityId} = ${body.id}`)
      .orderBy(auditLog.id);
    expect(kept.map(({ operation }) => operation)).toEqual([
      "createAthlete",
      "obtainToken",
      "updateAthlete",
      "deleteAthlete",
    ]);
    for (const row of kept) expect([row.before, row.after]).toEqual([null, null]);
  });

  it("leaves no value of a managed athlete, whose manager has the answer to an idempotent request", async () => {
    const s = await service();
    const manager = await managingManager();
    const mark = `mark${Date.now().toString(36)}b`;
    const { body, status } = await s.send("POST", "/api/v1/athletes/create-managed/", {
      token: manager.token,
      json: { managed_by: manager.id, external_id: `${mark}-external`, athlete_profile: profileOf(mark) },
      headers: { "Idempotency-Key": `key-${manager.id}` },
    });
    expect(status).toBe(201);
    expect(await placesOf(s, mark)).toEqual(
      expect.arrayContaining(["accounts", "audit_log", "idempotency_keys"]),
    );
    const path = `/api/v1/athletes/${body.id}/delete-managed/`;
    expect((await s.send("DELETE", path, { token: manager.token })).status).toBe(204);
    expect(await placesOf(s, mark)).toEqual([]);
  });
});
