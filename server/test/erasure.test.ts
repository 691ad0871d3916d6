/** Tests that only the authors and times of changes remain of a deleted account, and no personal data. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { auditLog, permissions } from "../src/store/schema.js";
import { mailsOf, placesOf, profileOf } from "./erasure-marks.js";
import { managingManager } from "./people.js";
import { linksTo, Scene } from "./personal-data-scene.js";
import { service, startService } from "./service.js";
import { minute, SquadScene } from "./squad-scene.js";

describe("an account that is deleted", () => {
  it("leaves no value of an athlete in any table after self-deletion, and queued email is not sent", async () => {
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
    for (const value of ["1931-07-04", "61.25371", "1.77319"]) expect(await placesOf(s, value)).toEqual([]);
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

  it("leaves no value of a managed athlete in the stored response to the manager", async () => {
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

  it("leaves no stored response to the owner of its squad", async () => {
    const s = await service();
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players;
    const athlete = ann?.athlete ?? 0;
    const { token } = scene.manager;
    const { body } = await s.get(`/api/v2/members/?athlete=${athlete}`, token);
    const member = `/api/v2/members/${body.results[0].id}/`;
    const end_time = minute(60);
    expect((await scene.send("PATCH", member, { end_time })).status).toBe(200);
    const rejoined = await s.send("POST", "/api/v2/members/", {
      token,
      json: { squad: scene.squad, athlete, start_time: minute(60), end_time: minute(70) },
      headers: { "Idempotency-Key": `member-${athlete}` },
    });
    expect(rejoined.status).toBe(201);
    expect(await linksTo(s, athlete)).toContain("stored responses");
    await commands["athlete erase"](s.ctx, { id: String(athlete), yes: true });
    expect(await linksTo(s, athlete)).not.toContain("stored responses");
  });

  it.each([
    ["an erased athlete", "", "erase"],
    ["an erased athlete", " who has ended every relation", "erase"],
    ["a deleted athlete", "", "delete"],
    ["a deleted athlete", " who has ended every relation", "delete"],
  ])("%s leaves no stored response to a manager%s", async (_, ended, how) => {
    const s = await service();
    const scene = await Scene.of(s);
    const { token } = scene.team.manager;
    const { queries } = s.store.database;
    if (ended !== "") {
      for (const frame of scene.frames)
        expect((await s.send("DELETE", `/api/v1/timeframes/${frame}/`, { token })).status).toBe(204);
      await queries.delete(permissions).where(eq(permissions.athleteId, scene.id));
    }
    expect(await linksTo(s, scene.id)).toContain("stored responses");
    const { status } =
      how === "erase" ? await scene.erase() : await s.send("DELETE", scene.path, { token: scene.token });
    expect(status).toBe(how === "erase" ? 200 : 204);
    expect(await linksTo(s, scene.id)).not.toContain("stored responses");
  });

  it("leaves no stored response to a reader even if the erasure is interrupted and called again", async () => {
    const s = await startService();
    const [athlete, reader] = [await s.athlete(), await s.manager()];
    const { queries } = s.store.database;
    await queries.execute(sql`INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
      VALUES (${athlete.id}, ${reader.id}, 'READ', '2020-01-01', '2099-01-01')`);
    await queries.execute(sql`INSERT INTO idempotency_keys (account_id, path, key, fingerprint, created_at, body)
      VALUES (${reader.id}, '/', 'one', '', now(), convert_to(${`{"athlete":${athlete.id},"name":"A"}`}, 'UTF8'))`);
    await queries.execute(
      sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''interrupted''; END'`,
    );
    await queries.execute(
      sql`CREATE TRIGGER refuse BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const erase = () => commands["athlete erase"](s.ctx, { id: String(athlete.id), yes: true });
    await expect(erase()).rejects.toThrow();
    await queries.execute(sql`DROP FUNCTION refuse CASCADE`);
    expect(await linksTo(s, athlete.id)).toContain("stored responses");
    await erase();
    expect(await linksTo(s, athlete.id)).not.toContain("stored responses");
  });

  it("leaves no email in the data folder", async () => {
    const s = await startService();
    const mark = `mark${Date.now().toString(36)}c`;
    const password = "a long passphrase";
    const athlete = { username: `${mark}-user`, email: `${mark}@example.org`, password };
    const { body } = await s.post("/api/v1/athletes/", athlete);
    await s.runJobs();
    expect(mailsOf(s, mark)).not.toEqual([]);
    const token = await s.logIn(athlete.username, password);
    expect((await s.send("DELETE", `/api/v1/athletes/${body.id}/`, { token })).status).toBe(204);
    expect(mailsOf(s, mark)).toEqual([]);
  });

  it("leaves no email even if the process ends before it can remove the files: retention removes them", async () => {
    const s = await startService();
    const person = await s.manager();
    await s.runJobs();
    const folder = join(s.config.dataDir, "mail");
    const kept = readdirSync(folder);
    expect(kept.some((name) => name.startsWith(`account-${person.id}-`))).toBe(true);
    for (let n = 0; n < 1_001; n++) writeFileSync(join(folder, `account-999999-job-${n}.eml`), "");
    writeFileSync(join(folder, "account-999998-job-0.eml.part"), "");
    writeFileSync(join(folder, "account-list.eml"), "");
    await applyRetention(s.ctx, { vacuums: false });
    expect(readdirSync(folder).toSorted()).toEqual([...kept, "account-list.eml"].toSorted());
  });
});
