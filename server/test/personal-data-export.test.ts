/** Tests the export of all data about a person. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAthlete } from "../src/domain/accounts/find.js";
import { exportAthlete } from "../src/domain/exports/athlete.js";
import { commands } from "../src/operator/commands.js";
import { queriesOf } from "../src/store/connection/database.js";
import { at, copiesOf, frameOfFormerOwner, json, Scene, START, unzip } from "./personal-data-scene.js";
import { newScratchFolder } from "./scratch.js";
import { startService, type TestService } from "./service.js";

const sampleRows = ({ rows }: { rows: number }) => rows;

/** Returns the number of rows in each file except the audit, which also contains the exports. */
const rowsOf = (files: { name: string; rows: number }[]) =>
  files.filter(({ name }) => name !== "audit.json").map(sampleRows);

let s: TestService;
beforeAll(async () => {
  s = await startService({ webhookAllowPrivate: true });
});

describe("the export of an athlete", () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.of(s);
  });

  const fetchZip = async (token = scene.token, of = scene) => {
    const response = await fetch(`${s.service.url}${of.path}export/`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { response, files: await unzip(Buffer.from(await response.arrayBuffer())) };
  };

  it("contains all data about the athlete as JSON, without secrets, and the samples as CSV", async () => {
    const result = await scene.team.computed(scene.frames[0] ?? 0);
    expect(result.status).toBe(200);
    const known = await s.manager();
    const wanted = { manager: known.id, username: known.username };
    expect((await s.post(`${scene.path}managers/`, wanted, scene.token)).status).toBe(200);
    const { response, files } = await fetchZip();
    expect(response.status).toBe(200);
    expect(json(files, "known-managers.json")).toEqual([{ manager: known.id }]);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toMatch(
      new RegExp(`^attachment; filename="athlete-${scene.id}-\\d{4}-\\d\\d-\\d\\d\\.zip"$`),
    );
    expect(json(files, "profile.json")).toMatchObject({
      id: scene.id,
      username: `${scene.mark}-user`,
      email: `${scene.mark}@example.org`,
      athlete_profile: { first_name: `${scene.mark} first`, nationality: scene.mark },
    });
    expect(json(files, "permissions.json")).toHaveLength(2);
    expect(json(files, "sessions.json")).toMatchObject([{ application: "test", browser: null }]);
    expect(json(files, "activities.json")).toMatchObject([{ id: scene.team.activity, name: "A match" }]);
    const frames = json(files, "timeframes.json");
    expect(frames.map(({ id }: { id: number }) => id)).toEqual(scene.frames);
    expect(frames[0].device).toBe(scene.team.device.id);
    // The serial number and the name are sufficient to take a device.
    for (const text of files.values()) expect(text).not.toContain(scene.team.device.serial_number);
    expect(json(files, "computed-data.json")).toMatchObject([
      {
        timeframe: scene.frames[0],
        data: { first_timestamp: START },
        further: { peak_demands: { power_law: null }, definition: { peak_demands: { version: 1 } } },
      },
    ]);
    expect(json(files, "audit.json").map((row: { operation: string }) => row.operation)).toEqual(
      expect.arrayContaining(["createAthlete", "obtainToken", "createTimeframe"]),
    );
    const csv = files.get(frames[0].samples) ?? "";
    const lines = csv.trimEnd().split("\n");
    expect(lines).toHaveLength(61);
    expect(lines[0]).toBe("timestamp,latitude,longitude,altitude,speed,hr");
    expect(lines[1]).toBe(`${START / 1000}.000,0.0000000,0.0000000,0.000,3.000,140`);
    const { files: listed, athlete } = json(files, "export.json");
    expect(athlete).toBe(scene.id);
    expect(listed).toContainEqual({ name: frames[0].samples, rows: 60 });
    expect([...files.keys()]).toEqual([...listed.map(({ name }: { name: string }) => name), "export.json"]);
    const { rows } = await s.store.database.queries.execute<{ secret: string }>(sql`
      SELECT password_hash AS secret FROM accounts WHERE id = ${scene.id}
      UNION ALL SELECT encode(token_hash, 'hex') FROM refresh_tokens WHERE account_id = ${scene.id}`);
    expect(rows).toHaveLength(2);
    for (const { secret } of rows) for (const text of files.values()) expect(text).not.toContain(secret);
  });

  it("is available only to the athlete and, for a managed athlete, to the manager", async () => {
    const { manager, athlete } = scene.team;
    const status = async (token: string, id = scene.id) =>
      (await s.get(`/api/v1/athletes/${id}/export/`, token)).status;
    expect(await status(manager.token)).toBe(403);
    expect(await status((await s.athlete()).token)).toBe(403);
    expect(await status(manager.token, athlete)).toBe(200);
    expect((await s.get(`${scene.path}export/`)).status).toBe(403);
  });

  it("releases its slot after it has been sent, and sends no body for HEAD", async () => {
    const get = (method: string) =>
      fetch(`${s.service.url}${scene.path}export/`, {
        method,
        headers: { Authorization: `Bearer ${scene.token}` },
      });
    const head = await get("HEAD");
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "application/zip"]);
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    for (const _ of [1, 2]) {
      const bytes = Buffer.from(await (await get("GET")).arrayBuffer());
      expect((await unzip(bytes)).has("export.json")).toBe(true);
    }
  });

  it("is written by the operator to a new file that only the user can read", async () => {
    const file = join(newScratchFolder(), "export.zip");
    const outcome = await commands["athlete export"](s.ctx, { id: String(scene.id), output: file });
    const bytes = readFileSync(file);
    expect(outcome).toEqual({ athlete: scene.id, file, bytes: bytes.length });
    const { rows } = await s.store.database.queries.execute(
      sql`SELECT after FROM audit_log WHERE operation = 'athlete export' AND entity = 'account' AND entity_id = ${scene.id}`,
    );
    expect(rows).toEqual([{ after: { exportedBytes: bytes.length } }]);
    expect(json(await unzip(bytes), "profile.json").id).toBe(scene.id);
    await expect(commands["athlete export"](s.ctx, { id: String(scene.id), output: file })).rejects.toThrow(
      "already exists",
    );
    const another = join(newScratchFolder(), "another.zip");
    const exporting = commands["athlete export"](s.ctx, { id: "999999999", output: another });
    await expect(exporting).rejects.toThrow("not_found");
    expect(existsSync(another)).toBe(false);
  });

  it("contains only samples from times at which the owner of a time frame owned its device", async () => {
    await s.store.database.queries.execute(
      sql`UPDATE ownerships SET start_time = ${new Date(START + 30_000)} WHERE device_id = ${scene.team.device.id}`,
    );
    const { files } = await fetchZip();
    const frames = json(files, "timeframes.json");
    expect((files.get(frames[0].samples) ?? "").trimEnd().split("\n")).toHaveLength(1 + 30);
  });

  it("contains no data of another athlete: no samples that an older time frame assigns to that athlete, and no JSON of a shared activity", async () => {
    const { rows: before } = await s.store.database.queries.execute<{ json: object }>(
      sql`SELECT json FROM activities WHERE id = ${scene.team.activity}`,
    );
    expect(json((await fetchZip()).files, "activities.json")[0].json).toEqual(before[0]?.json);
    await scene.madeFirst(await scene.frame(150, 200, scene.team.athlete));
    const { files } = await fetchZip();
    const [activity] = json(files, "activities.json");
    expect(activity).toMatchObject({ id: scene.team.activity, name: "A match" });
    expect(activity).not.toHaveProperty("json");
    const [, second] = json(files, "timeframes.json");
    expect((files.get(second.samples) ?? "").trimEnd().split("\n")).toHaveLength(1 + 30);
    expect(json(files, "export.json").files).toContainEqual({
      name: second.samples,
      rows: 30,
      left_out: [{ start: at(150), stop: at(179) }],
    });
  });

  it("contains all samples even if the manager later created a time frame of another athlete at the same time", async () => {
    const own = await Scene.of(s);
    const rows = async () => rowsOf(json((await fetchZip(own.token, own)).files, "export.json").files);
    const before = await rows();
    await own.frame(0, 600, own.team.athlete);
    expect(await rows()).toEqual(before);
  });

  it("contains all samples even if the manager moved an older time frame of another athlete to the same time", async () => {
    const own = await Scene.of(s);
    const rows = async () => rowsOf(json((await fetchZip(own.token, own)).files, "export.json").files);
    const before = await rows();
    const older = await own.frame(700, 800, own.team.athlete);
    await own.madeFirst(older);
    const { status } = await s.send("PATCH", `/api/v1/timeframes/${older}/`, {
      token: own.team.manager.token,
      json: { start_time: at(0), end_time: at(600) },
    });
    expect(status).toBe(200);
    expect(await rows()).toEqual(before);
  });

  it("contains all samples even if a former owner of the device created time frames at the same time", async () => {
    const before = json((await fetchZip()).files, "export.json").files;
    await frameOfFormerOwner(s, scene);
    expect(rowsOf(json((await fetchZip()).files, "export.json").files)).toEqual(rowsOf(before));
  });

  it("contains each sample once, in the file of the first time frame that covers it", async () => {
    const other = await Scene.of(s);
    await copiesOf(s, other, 3);
    const files = await fetchZip(other.token, other).then(({ files }) => json(files, "export.json").files);
    const rows = files.filter(({ name }: { name: string }) => name.startsWith("samples/"));
    expect(rows.map(sampleRows)).toEqual([60, 0, 0, 0, 60]);
  });

  it("uses the same number of statements per time frame for any number of other time frames at the same time", async () => {
    const perFrame: number[] = [];
    for (const count of [20, 200]) {
      const other = await Scene.of(s);
      await copiesOf(s, other, count);
      await copiesOf(s, other, count, other.team.athlete);
      let sent = 0;
      const queries = queriesOf(s.store.database.pool, { logQuery: () => void sent++ });
      const athlete = await findAthlete(other.id, { queries, lock: false });
      for await (const _ of exportAthlete({ ...s.ctx, queries }, athlete)) {
        // Only the statements count.
      }
      perFrame.push((sent - 30) / count);
    }
    for (const statements of perFrame) expect(statements).toBeLessThanOrEqual(2);
  });

  it("is aborted if the account is deleted, and is then recognizably incomplete", async () => {
    const athlete = await findAthlete(scene.id, { queries: s.ctx.queries, lock: false });
    expect((await scene.erase()).status).toBe(200);
    const read = async () => {
      for await (const _ of exportAthlete(s.ctx, athlete)) {
        // Only the end of the export matters.
      }
    };
    await expect(read()).rejects.toThrow("not_found");
  });
});
