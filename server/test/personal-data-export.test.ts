/** Tests the export of all data about a person. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAthlete } from "../src/domain/accounts/find.js";
import { RECHECK_MS } from "../src/domain/change/access-recheck.js";
import { exportAthlete } from "../src/domain/exports/athlete.js";
import { sampleFilesOf } from "../src/domain/exports/sample-files.js";
import { commands } from "../src/operator/commands.js";
import { queriesOf } from "../src/store/connection/database.js";
import { at, copiesOf, frameOfFormerOwner, json, Scene, START, unzip } from "./personal-data-scene.js";
import { newScratchFolder } from "./scratch.js";
import { startService, type TestService } from "./service.js";
import { store } from "./team.js";

const HOUR_MS = 3_600_000;

/** Number of time frames in the test of memory. */
const MANY = 20_000;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

interface Listed {
  name: string;
  rows: number;
}

const isOfSamples = ({ name }: { name: string }) => name.startsWith("samples/");

/** Returns the number of rows in each file except the audit, which also contains the exports. */
const rowsOf = (files: Listed[]) => files.filter(({ name }) => name !== "audit.json").map(({ rows }) => rows);

/** Returns the times of all samples in an archive, in the order of the files and rows, ms since 1970 UTC. */
const sampleTimes = (files: Map<string, string>): number[] =>
  [...files]
    .filter(([name]) => isOfSamples({ name }))
    .flatMap(([, text]) => text.trimEnd().split("\n").slice(1))
    .map((line) => Math.round(Number.parseFloat(line) * 1000));

const seconds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => START + (from + i) * 1000);

let s: TestService;
beforeAll(async () => {
  s = await startService({ webhookAllowPrivate: true });
});

/** Returns a clock that advances whenever it is read. */
const advancing = (ms: number) => ({
  now() {
    s.clock.advance(ms);
    return s.clock.now();
  },
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
    const { device, owner } = frames[0];
    const name = `samples/2024-06-01_device-${device}_owner-${owner}.csv`;
    const lines = (files.get(name) ?? "").trimEnd().split("\n");
    expect(lines[0]).toBe("timestamp,latitude,longitude,altitude,speed,hr");
    expect(lines[1]).toBe(`${START / 1000}.000,0.0000000,0.0000000,0.000,3.000,140`);
    expect(sampleTimes(files)).toEqual([...seconds(0, 60), ...seconds(120, 180)]);
    const { files: listed, athlete } = json(files, "export.json");
    expect(athlete).toBe(scene.id);
    expect(listed.filter(isOfSamples)).toEqual([
      { name, rows: 120, device, owner, start: at(0), stop: at(179) },
    ]);
    expect([...files.keys()]).toEqual([...listed.map(({ name }: { name: string }) => name), "export.json"]);
    const { rows } = await s.store.database.queries.execute<{ secret: string }>(sql`
      SELECT password_hash AS secret FROM accounts WHERE id = ${scene.id}
      UNION ALL SELECT encode(token_hash, 'hex') FROM refresh_tokens WHERE account_id = ${scene.id}`);
    expect(rows).toHaveLength(2);
    for (const { secret } of rows) for (const text of files.values()) expect(text).not.toContain(secret);
  });

  it("ends without the samples of the next owner if the device changes hands while its samples are read", async () => {
    const { id, team } = scene;
    // More parts of five minutes than the service reads together.
    const every = (n: number) => START + n * 300_000;
    await store(
      s,
      team.device.id,
      Array.from({ length: 60 }, (_, n) => ({ t: every(n), speed: 3000, hr: 140 })),
    );
    await scene.frame(0, 60 * 300);
    const texts: string[] = [];
    const read = async () => {
      for await (const file of sampleFilesOf(s.ctx, id))
        for await (const part of file?.content ?? []) {
          if (texts.push(Buffer.from(part).toString()) !== 2) continue;
          await s.store.database.queries.execute(sql`UPDATE ownerships SET end_time = ${new Date(every(40))}
            WHERE device_id = ${team.device.id} AND manager_id = ${team.manager.id}`);
        }
    };
    await expect(read()).rejects.toMatchObject({ kind: "forbidden" });
    const times = sampleTimes(new Map([["samples/", texts.join("")]]));
    expect(times.length).toBeGreaterThan(600);
    expect(Math.max(...times)).toBeLessThan(every(40));
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
    expect(sampleTimes(files)).toEqual([...seconds(30, 60), ...seconds(120, 180)]);
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
    expect(sampleTimes(files)).toEqual([...seconds(0, 60), ...seconds(120, 150)]);
    const [{ device, owner }] = json(files, "timeframes.json");
    expect(json(files, "left-out.json")).toEqual([{ device, owner, start: at(150), stop: at(179) }]);
    expect(json(files, "export.json").files).toContainEqual({ name: "left-out.json", rows: 1 });
  });

  it("contains no values of a time frame that is given to another athlete", async () => {
    const { team, id } = scene;
    const frame = await scene.frame(300, 320);
    const body = { athlete: team.athlete, params: { max_hr: 201 } };
    const path = `/api/v1/timeframes/${frame}/`;
    expect((await s.send("PATCH", path, { token: team.manager.token, json: body })).status).toBe(200);
    const audit = json((await fetchZip()).files, "audit.json");
    const [change] = audit.filter(
      (row: { operation: string }) => row.operation === "updateTimeframePartially",
    );
    expect(change).toMatchObject({ before: { athleteId: id }, after: null });
    expect(JSON.stringify(audit)).not.toContain("max_hr");
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

  it("contains each sample once, even if many time frames cover it", async () => {
    const other = await Scene.of(s);
    await copiesOf(s, other, 3);
    const { files } = await fetchZip(other.token, other);
    expect(json(files, "timeframes.json")).toHaveLength(5);
    expect(sampleTimes(files)).toEqual([...seconds(0, 60), ...seconds(120, 180)]);
  });

  it("contains samples in files of whole days, each of which ends with the day in which it reaches 50,000 samples", async () => {
    const other = await Scene.of(s);
    const { team } = other;
    // 14 hours after 10:00 on June 1, a new day begins.
    const midnight = START + 14 * HOUR_MS;
    const run = (fromMs: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ t: fromMs + i * 100, speed: 3000 }));
    const days = [
      run(midnight - HOUR_MS, 70_000),
      run(midnight + 23 * HOUR_MS, 5),
      run(midnight + 24 * HOUR_MS, 10),
      run(midnight + 48 * HOUR_MS, 10),
    ];
    await store(s, team.device.id, days.flat());
    await other.frame(0, 4 * 86_400);
    const { files } = await fetchZip(other.token, other);
    const listed = json(files, "export.json").files.filter(isOfSamples);
    const of = `device-${team.device.id}_owner-${team.manager.id}.csv`;
    expect(listed).toMatchObject([
      { name: `samples/2024-06-01_${of}`, rows: 600 + 70_005, start: at(0) },
      { name: `samples/2024-06-03_${of}`, rows: 20, start: "2024-06-03T00:00:00.000Z" },
    ]);
    expect(listed.map(({ stop }: { stop: string }) => Date.parse(stop))).toEqual([
      days[1]?.at(-1)?.t,
      days[3]?.at(-1)?.t,
    ]);
    expect(sampleTimes(files)).toEqual([...seconds(0, 600), ...days.flat().map(({ t }) => t)]);
  });

  it("needs no memory for each time frame, and contains the samples of all of them", async () => {
    const other = await Scene.of(s);
    await copiesOf(s, other, MANY, { everyMs: 600_000 / MANY, lengthMs: 2_000 });
    await copiesOf(s, other, 100, { everyMs: HOUR_MS, lengthMs: 2_000 });
    const athlete = await findAthlete(other.id, { queries: s.ctx.queries, lock: false });
    // The export reads the clock before each part of a file, and checks the right when `RECHECK_MS` have passed.
    const clock = advancing(RECHECK_MS / 20);
    const used: number[] = [];
    const measure = async () => {
      await nextTurn();
      collectGarbage();
      used.push(process.memoryUsage().heapUsed);
    };
    const chunks: Buffer[] = [];
    for await (const chunk of exportAthlete({ ...s.ctx, clock }, athlete, measure)) chunks.push(chunk);
    expect(used.length).toBeGreaterThan(10);
    // An export reads 5,000 time frames at a time.
    expect(Math.max(...used) - (used[0] ?? 0)).toBeLessThan(8_000_000);
    const files = await unzip(Buffer.concat(chunks));
    expect(json(files, "timeframes.json")).toHaveLength(MANY + 102);
    expect(sampleTimes(files)).toEqual(seconds(0, 600));
  });

  it("uses few statements for any number of time frames at the same time", async () => {
    for (const count of [20, 200]) {
      const other = await Scene.of(s);
      await copiesOf(s, other, count);
      await copiesOf(s, other, count, { athlete: other.team.athlete });
      let sent = 0;
      const queries = queriesOf(s.store.database.pool, { logQuery: () => void sent++ });
      const athlete = await findAthlete(other.id, { queries, lock: false });
      for await (const _ of exportAthlete({ ...s.ctx, queries }, athlete)) {
        // Only the statements count.
      }
      expect(sent).toBeLessThanOrEqual(30);
    }
  });

  it("is aborted soon after the caller loses the right, even while no samples are found", async () => {
    const other = await Scene.of(s);
    await copiesOf(s, other, 3_000, { everyMs: HOUR_MS, lengthMs: 2_000 });
    let reads = 0;
    const logQuery = (text: string) => void (text.includes("FROM sample_chunks") && reads++);
    const queries = queriesOf(s.store.database.pool, { logQuery });
    const clock = advancing(RECHECK_MS);
    const athlete = await findAthlete(other.id, { queries, lock: false });
    const requireRight = async () => {
      if (reads > 300) throw new Error("The right is lost");
    };
    const read = async () => {
      for await (const _ of exportAthlete({ ...s.ctx, queries, clock }, athlete, requireRight)) {
        // Only the end of the export matters.
      }
    };
    await expect(read()).rejects.toThrow("The right is lost");
    expect(reads).toBeLessThan(1_000);
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
