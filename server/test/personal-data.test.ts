/** The rights of a person whose data the service has: a copy of all of it, and its erasure, which outlives a backup. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import { findAthlete } from "../src/domain/accounts/find.js";
import { transact } from "../src/domain/change.js";
import { eraseSamples } from "../src/domain/deletion/erase-samples.js";
import { reapplyErasures } from "../src/domain/deletion/reapply.js";
import { exportAthlete } from "../src/domain/exports/athlete.js";
import { commands } from "../src/operator/commands.js";
import { backup, restore } from "../src/store/backup.js";
import { erasureListOf, readErasures } from "../src/store/erasure-list.js";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";
import { newStore, startService, TestService } from "./service.js";
import { grant, store, Team } from "./team.js";

/** The files of an archive by name. */
async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const zip = await new Promise<ZipFile>((done, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, file) => (error ? reject(error) : done(file))),
  );
  await new Promise<void>((done, reject) => {
    zip.on("entry", (entry: Entry) =>
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error);
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        files.set(entry.fileName, Buffer.concat(chunks).toString());
        zip.readEntry();
      }),
    );
    zip.on("end", done).on("error", reject);
    zip.readEntry();
  });
  return files;
}

const json = (files: Map<string, string>, name: string) => JSON.parse(files.get(name) ?? "null");

/** Tables with a value of the person: in text, or in bytes, which are shown in hexadecimal. */
async function placesOf(s: TestService, value: string): Promise<string[]> {
  const { queries } = s.store.database;
  const { rows } = await queries.execute<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const places: string[] = [];
  for (const { name } of rows) {
    const found = await queries.execute<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM ${sql.identifier(name)} AS t
        WHERE strpos(lower(t::text), ${value}) > 0 OR strpos(t::text, ${Buffer.from(value).toString("hex")}) > 0`,
    );
    if ((found.rows[0]?.count ?? 0) > 0) places.push(name);
  }
  return places;
}

/** Every column and every member of a JSON value by which a row belongs to the account, and in which it stands. */
async function linksTo(s: TestService, id: number): Promise<string[]> {
  const { queries } = s.store.database;
  const columns = [
    ["timeframes", "athlete_id"],
    ["permissions", "athlete_id"],
    ["access_tokens", "account_id"],
    ["refresh_tokens", "account_id"],
    ["authorization_codes", "account_id"],
    ["idempotency_keys", "account_id"],
    ["jobs", "account_id"],
    ["jobs", "charged_to"],
    ["audit_log", "account_id"],
  ] as const;
  const links: string[] = [];
  const count = async (name: string, query: ReturnType<typeof sql>) => {
    const { rows } = await queries.execute<{ count: number }>(query);
    if ((rows[0]?.count ?? 0) > 0) links.push(name);
  };
  for (const [table, column] of columns) {
    const [t, c] = [sql.identifier(table), sql.identifier(column)];
    await count(`${table}.${column}`, sql`SELECT count(*)::int AS count FROM ${t} WHERE ${c} = ${id}`);
  }
  await count(
    "audit_log about the account",
    sql`SELECT count(*)::int AS count FROM audit_log WHERE entity = 'account' AND entity_id = ${id}`,
  );
  for (const key of ["athleteId", "managerId", "ownerId", "managedBy", "account"]) {
    await count(
      `audit_log ${key}`,
      sql`SELECT count(*)::int AS count FROM audit_log WHERE ${String(id)} IN (before->>${key}, after->>${key})`,
    );
  }
  await count(
    "throttle_counters",
    sql`SELECT count(*)::int AS count FROM throttle_counters WHERE key LIKE ${`%user-${id}`}`,
  );
  await count(
    "stored responses",
    sql`SELECT count(*)::int AS count FROM idempotency_keys
      WHERE position(convert_to(${`"athlete":${id},`}, 'UTF8') IN body) > 0`,
  );
  return links;
}

/** Files of the data folder with the value, except for the database and its free space. */
function filesWith({ config }: TestService, value: string): string[] {
  const names = readdirSync(config.dataDir, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file, "latin1").includes(value));
}

const START = Date.parse("2024-06-01T10:00:00.000Z");
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** An athlete with an account, two time frames of a club. */
class Scene {
  readonly s: TestService;
  readonly mark = `mark${randomUUID().slice(0, 8)}`;
  readonly password = "a long passphrase";
  team!: Team;
  id!: number;
  token!: string;
  frames: number[] = [];

  constructor(s: TestService) {
    this.s = s;
  }

  static async of(s: TestService): Promise<Scene> {
    const scene = new Scene(s);
    const { mark, password } = scene;
    scene.team = await Team.of(s);
    await s.backdate(scene.team.device, "2024-01-01T00:00:00Z");
    const { body } = await s.post("/api/v1/athletes/", {
      username: `${mark}-user`,
      email: `${mark}@example.org`,
      password,
      athlete_profile: { first_name: `${mark} first`, last_name: `${mark} last`, nationality: mark },
    });
    scene.id = body.id;
    scene.token = await s.logIn(`${mark}-user`, password);
    for (const right of ["READ", "WRITE"] as const) {
      await grant(s, scene.id, scene.team.manager.id, right, "2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z");
    }
    await scene.record(0, 600);
    scene.frames = [await scene.frame(0, 59), await scene.frame(120, 179)];
    return scene;
  }

  /** Samples of the club's device, one a second. */
  async record(fromSeconds: number, toSeconds: number): Promise<void> {
    const samples = [];
    for (let t = fromSeconds; t < toSeconds; t++) samples.push({ t: START + t * 1000, speed: 3000, hr: 140 });
    await store(this.s, this.team.device.id, samples);
  }

  async frame(fromSeconds: number, toSeconds: number, athlete = this.id): Promise<number> {
    const { status, body } = await this.s.send("POST", "/api/v1/timeframes/", {
      token: this.team.manager.token,
      json: await this.team.body({ start_time: at(fromSeconds), end_time: at(toSeconds), athlete }),
      headers: { "Idempotency-Key": randomUUID() },
    });
    if (status !== 201) throw new Error(`No time frame: ${status} ${JSON.stringify(body)}`);
    return body.id;
  }

  get path(): string {
    return `/api/v1/athletes/${this.id}/`;
  }

  async samples(): Promise<number> {
    const span = `start=${START}&stop=${START + 3_600_000}`;
    const path = `/api/v1/devices/${this.team.device.id}/preprocessed-data-ranges/?${span}`;
    const { body } = await this.s.get(path, this.team.manager.token);
    return body.results.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
  }

  erase(password = this.password, token = this.token) {
    return this.s.post(`${this.path}erase/`, { password }, token);
  }
}

let s: TestService;
beforeAll(async () => {
  s = await startService({ webhookAllowPrivate: true });
});

describe("row X10: the export of an athlete", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.of(s);
  });

  const fetchZip = async (token = scene.token) => {
    const response = await fetch(`${s.service.url}${scene.path}export/`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return { response, files: await unzip(Buffer.from(await response.arrayBuffer())) };
  };

  it("has everything about the athlete as JSON, without secrets, and the samples as CSV", async () => {
    const result = await scene.team.computed(scene.frames[0] ?? 0);
    expect(result.status).toBe(200);
    const { response, files } = await fetchZip();
    expect(response.status).toBe(200);
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
    // Who knows the serial number and the name of a device can take it.
    for (const text of files.values()) expect(text).not.toContain(scene.team.device.serial_number);
    expect(json(files, "computed-data.json")).toMatchObject([
      { timeframe: scene.frames[0], data: { first_timestamp: START } },
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

  it("is for the athlete and for the manager of a managed athlete, and no one else", async () => {
    const { manager, athlete } = scene.team;
    const status = async (token: string, id = scene.id) =>
      (await s.get(`/api/v1/athletes/${id}/export/`, token)).status;
    expect(await status(manager.token)).toBe(403);
    expect(await status((await s.athlete()).token)).toBe(403);
    expect(await status(manager.token, athlete)).toBe(200);
    expect((await s.get(`${scene.path}export/`)).status).toBe(403);
  });

  it("gives its place back when it has been sent, and sends nothing to a HEAD", async () => {
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

  it("is written by the operator to a new file of one user", async () => {
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

  it("has the samples of the times at which the owner of a time frame owned its device, and no others", async () => {
    await s.store.database.queries.execute(
      sql`UPDATE ownerships SET start_time = ${new Date(START + 30_000)} WHERE device_id = ${scene.team.device.id}`,
    );
    const { files } = await fetchZip();
    const frames = json(files, "timeframes.json");
    expect((files.get(frames[0].samples) ?? "").trimEnd().split("\n")).toHaveLength(1 + 30);
  });

  it("has nothing of another athlete: no samples of times that both wore the device, no JSON of a shared activity", async () => {
    const { rows: before } = await s.store.database.queries.execute<{ json: object }>(
      sql`SELECT json FROM activities WHERE id = ${scene.team.activity}`,
    );
    expect(json((await fetchZip()).files, "activities.json")[0].json).toEqual(before[0]?.json);
    await scene.frame(150, 200, scene.team.athlete);
    const { files } = await fetchZip();
    const [activity] = json(files, "activities.json");
    expect(activity).toMatchObject({ id: scene.team.activity, name: "A match" });
    expect(activity).not.toHaveProperty("json");
    const [, second] = json(files, "timeframes.json");
    expect((files.get(second.samples) ?? "").trimEnd().split("\n")).toHaveLength(1 + 30);
  });

  it("breaks off when the account is deleted meanwhile, so that no one takes it for complete", async () => {
    const athlete = await findAthlete(scene.id, { queries: s.ctx.queries, lock: false });
    expect((await scene.erase()).status).toBe(200);
    const read = async () => {
      for await (const _ of exportAthlete(s.ctx, athlete)) {
        // Only its end is of interest.
      }
    };
    await expect(read()).rejects.toThrow("not_found");
  });
});

describe("the erasure of an athlete", () => {
  it("asks for the password again", async () => {
    const scene = await Scene.of(s);
    const { status, body } = await scene.erase("another passphrase");
    expect([status, body]).toEqual([400, { password: ["The password is not correct."] }]);
    expect((await s.get(scene.path, scene.token)).status).toBe(200);
    const { manager, athlete } = scene.team;
    const path = `/api/v1/athletes/${athlete}/erase/`;
    expect((await s.post(path, { password: scene.password }, manager.token)).status).toBe(400);
    expect((await s.post(path, { password: manager.password }, manager.token)).status).toBe(200);
    expect((await scene.erase(manager.password, manager.token)).status).toBe(403);
  });

  it("leaves no value of the person and no row that belongs to them, in no table and no file", async () => {
    const scene = await Scene.of(s);
    const username = `${scene.mark}-user`;
    expect((await s.post("/api/v1/account/request-password-reset/", { username })).status).toBe(204);
    await s.runJobs();
    expect(filesWith(s, scene.mark)).not.toEqual([]);
    expect(await linksTo(s, scene.id)).toEqual(
      expect.arrayContaining([
        "timeframes.athlete_id",
        "permissions.athlete_id",
        "refresh_tokens.account_id",
        "audit_log.account_id",
        "audit_log about the account",
        "audit_log athleteId",
        "jobs.charged_to",
        "stored responses",
      ]),
    );
    const { status, body } = await scene.erase();
    expect(status).toBe(200);
    expect(await placesOf(s, scene.mark)).toEqual([]);
    expect(filesWith(s, scene.mark)).toEqual([]);
    expect(await linksTo(s, scene.id)).toEqual([]);
    expect(
      await placesOf(s, createHash("sha256").update(username).digest("base64url").toLowerCase()),
    ).toEqual([]);
    // The club keeps what its devices recorded; nothing says any more who wore them.
    expect(await scene.samples()).toBe(600);
    expect(body).toMatchObject({
      person: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows: { account: 1, timeframes: 2, permissions: 2, sessions: 1, samples: 0 },
    });
    const { rows } = await s.store.database.queries.execute(
      sql`SELECT account_id, operation, before, after FROM audit_log
        WHERE entity = 'erasure' AND after->>'person' = ${body.person}`,
    );
    expect(rows).toEqual([
      {
        account_id: null,
        operation: "eraseAthlete",
        before: null,
        after: { person: body.person, kind: "erased", rows: body.rows },
      },
    ]);
  });

  it("removes the samples of the time frames where the operator says so, and not those of others", async () => {
    const scene = await Scene.of(s);
    // Another athlete had the device from second 150 on.
    await scene.frame(150, 200, scene.team.athlete);
    const counted = await commands["athlete erase"](s.ctx, { id: String(scene.id) });
    expect(counted).toMatchObject({ erased: false, rows: { timeframes: 2 } });
    expect(await scene.samples()).toBe(600);
    const proof = await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    expect(proof).toMatchObject({ erased: true, rows: { timeframes: 2, samples: 60 + 30 } });
    expect(await scene.samples()).toBe(600 - 90);
    expect(await linksTo(s, scene.id)).toEqual([]);
  });

  it("removes no time frame that the manager gives to another athlete meanwhile", async () => {
    const scene = await Scene.of(s);
    const [moved] = scene.frames;
    const removed = await eraseSamples(s.ctx.queries, scene.id, async (work) => {
      const { status } = await s.send("PATCH", `/api/v1/timeframes/${moved}/`, {
        token: scene.team.manager.token,
        json: { athlete: scene.team.athlete },
      });
      expect(status).toBe(200);
      return transact(s.ctx, "athlete erase", work);
    });
    expect(removed).toBe(60);
    expect(await scene.samples()).toBe(600 - 60);
    expect((await s.get(`/api/v1/timeframes/${moved}/`, scene.team.manager.token)).status).toBe(200);
  });

  it("reports the time frames as deleted to the webhooks of their activities", async () => {
    const scene = await Scene.of(s);
    const { activity, manager } = scene.team;
    const hook = await s.post(
      `/api/v1/activities/${activity}/webhooks/`,
      {
        webhook_url: "http://127.0.0.1:9/",
        secret_token: "a secret",
        activity_events: true,
        timeframes_events: true,
      },
      manager.token,
    );
    expect(hook.status).toBe(200);
    await commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });
    const { rows } = await s.store.database.queries.execute<{ frame: number }>(
      sql`SELECT (data->>'timeframe_id')::int AS frame FROM webhook_deliveries
        WHERE event = 'timeframe-deleted' AND (data->>'activity_id')::int = ${activity} ORDER BY 1`,
    );
    expect(rows.map(({ frame }) => frame)).toEqual(scene.frames);
  });

  it("over the API removes the samples too if the operator has set ERASE_SAMPLES", async () => {
    const eager = await startService({ eraseSamples: true });
    const scene = await Scene.of(eager);
    const { body } = await scene.erase();
    expect(body.rows.samples).toBe(120);
    expect(await scene.samples()).toBe(480);
  });
});

describe("the list of erasures", () => {
  it("does not name an account whose deletion fails, which the next start would erase", async () => {
    const own = await TestService.start(await newStore());
    const { queries } = own.store.database;
    const [athlete, manager] = [await own.athlete(), await own.manager()];
    await queries.execute(sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''refused''; END'`);
    await queries.execute(
      sql`CREATE TRIGGER refuse BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const id = String(athlete.id);
    await expect(commands["athlete erase"](own.ctx, { id, yes: true })).rejects.toThrow();
    for (const { username } of [athlete, manager]) {
      await expect(commands["account delete"](own.ctx, { username })).rejects.toThrow();
    }
    expect(await readErasures(erasureListOf(own.config))).toEqual([]);
    await queries.execute(sql`DROP TRIGGER refuse ON accounts`);
    expect(await commands["account delete"](own.ctx, { username: manager.username })).toMatchObject({
      deleted: true,
    });
    expect(await readErasures(erasureListOf(own.config))).toHaveLength(1);
  });
});

describe("an old backup", () => {
  it.runIf(process.env.TEST_DATABASE === "embedded")(
    "is cleaned by the command that restores it",
    async () => {
      const processes = await Processes.onNewDatabase();
      const folder = newScratchFolder();
      const [file, archive] = [join(folder, "asi.backup"), join(folder, "athlete.zip")];
      const running = await processes.start();
      const { body } = await running.send("POST", "/api/v1/athletes/", undefined, {
        username: "ann",
        email: "ann@example.org",
      });
      const exported = await processes.command("athlete", "export", String(body.id), "-o", archive);
      expect(exported).toEqual({ athlete: body.id, file: archive, bytes: readFileSync(archive).length });
      await processes.command("backup", file);
      const erased = await processes.command("athlete", "erase", String(body.id), "--yes");
      expect(erased).toMatchObject({ athlete: body.id, erased: true, rows: { account: 1 } });
      expect(await running.terminate()).toBe(0);
      expect(await processes.command("restore", file)).toMatchObject({ file, erased_again: 1 });
      const gone = ["athlete", "export", String(body.id), "-o", join(folder, "again.zip")];
      expect(await processes.refusal(gone)).toContain("Not found.");
    },
  );

  it("does not bring back the erased: they are erased again before the service answers", async () => {
    const first = await TestService.start(await newStore());
    const scene = await Scene.of(first);
    const deleted = await first.athlete();
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    await backup(first.store.database, file, folder);
    expect((await scene.erase()).status).toBe(200);
    const path = `/api/v1/athletes/${deleted.id}/`;
    expect((await first.send("DELETE", path, { token: deleted.token })).status).toBe(204);
    const list = erasureListOf(first.config);
    const lines = readFileSync(list, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(readFileSync(list, "utf8")).not.toContain(scene.mark);
    await first.stop();

    await restore(first.store.database.queries, file);
    // A machine that has no list brings them back, until it gets one.
    const other = await TestService.start(first.store);
    expect(await placesOf(other, scene.mark)).not.toEqual([]);
    expect((await other.get(path, deleted.token)).status).toBe(200);
    expect(await commands["erasures apply"](other.ctx, { list })).toEqual({ listed: 2, erased: 2 });
    expect(await placesOf(other, scene.mark)).toEqual([]);
    const people = async (of: TestService) =>
      (await readErasures(erasureListOf(of.config))).map(({ person }) => person).sort();
    expect(await people(other)).toEqual(await people(first));
    await other.stop();

    await restore(first.store.database.queries, file);
    const second = await TestService.start(first.store, { dataDir: first.config.dataDir });
    expect(await placesOf(second, scene.mark)).toEqual([]);
    expect(await linksTo(second, scene.id)).toEqual([]);
    expect((await second.get(scene.path, scene.token)).status).toBe(403);
    expect((await second.get(path, deleted.token)).status).toBe(403);
    // The club is as it was.
    expect((await second.get(`/api/v1/devices/`, scene.team.manager.token)).body.count).toBe(1);
    expect(readFileSync(list, "utf8").trimEnd().split("\n")).toEqual(lines);
    expect(await reapplyErasures(second.ctx)).toEqual({ listed: 2, erased: 0 });
  });

  it("does not harm a new person who got the id of an erased one", async () => {
    const store = await newStore();
    const first = await TestService.start(store);
    const folder = newScratchFolder();
    const file = join(folder, "backup");
    await backup(store.database, file, folder);
    const gone = await first.athlete();
    const path = `/api/v1/athletes/${gone.id}/`;
    await first.post(`${path}erase/`, { password: gone.password }, gone.token);
    await first.stop();
    await restore(store.database.queries, file);
    const second = await TestService.start(store, { dataDir: first.config.dataDir });
    const person = await second.athlete();
    expect(person.id).toBe(gone.id);
    await second.stop();
    const third = await TestService.start(store, { dataDir: first.config.dataDir });
    expect((await third.get(path, person.token)).status).toBe(200);
  });
});
