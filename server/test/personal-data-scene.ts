/** Creates an athlete with data of every kind, and searches for data of a person. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import type { TestService } from "./service.js";
import { grant, store, Team } from "./team.js";

/** Returns the files in an archive by name. */
export async function unzip(bytes: Buffer): Promise<Map<string, string>> {
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

export const json = (files: Map<string, string>, name: string) => JSON.parse(files.get(name) ?? "null");

/** Returns the tables with a value of the person, as text or as bytes (in hexadecimal). */
export async function placesOf(s: TestService, value: string): Promise<string[]> {
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

/** Returns every column and JSON member that links a row to the account. */
export async function linksTo(s: TestService, id: number): Promise<string[]> {
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
  for (const entity of ["account", "audit"]) {
    await count(
      `audit_log of ${entity}`,
      sql`SELECT count(*)::int AS count FROM audit_log WHERE entity = ${entity} AND entity_id = ${id}`,
    );
  }
  for (const key of ["athleteId", "managerId", "ownerId", "managedBy", "accountId"]) {
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

/** Returns the files in the data folder that contain the value, except the database, which may contain it in free space. */
export function filesWith({ config }: TestService, value: string): string[] {
  const names = readdirSync(config.dataDir, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file, "latin1").includes(value));
}

export const START = Date.parse("2024-06-01T10:00:00.000Z");
export const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** An athlete with an account and two time frames of a club. */
export class Scene {
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

  /** Stores samples of the club's device, one per second. */
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

  /** Makes a time frame older than all others. */
  async madeFirst(frame: number): Promise<void> {
    await this.s.store.database.queries.execute(
      sql`UPDATE timeframes SET assigned_at = assigned_at - interval '1 day' WHERE id = ${frame}`,
    );
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

/** Creates a time frame of an athlete over the whole time of the scene, by a manager who once owned the device. */
export async function frameOfFormerOwner(s: TestService, { team }: Scene): Promise<void> {
  const former = await Team.of(s);
  await s.store.database.queries.execute(sql`
    INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
    VALUES (${team.device.id}, ${former.manager.id}, '2023-01-01', '2023-01-02')`);
  const frame = { start_time: at(-600), end_time: at(3600), device: team.device.id };
  const { status, body } = await s.post(
    "/api/v1/timeframes/",
    await former.body(frame),
    former.manager.token,
  );
  if (status !== 201) throw new Error(`No time frame: ${status} ${JSON.stringify(body)}`);
}

interface Copies {
  /** Athlete of the copies. */
  athlete?: number;
  /** Time from the start of one copy to the start of the next; 1 by default. */
  everyMs?: number;
  /** By default, all copies end with the original. */
  lengthMs?: number;
}

/** Copies the first time frame of a scene, so that an athlete has many time frames, by default over the same time. */
export async function copiesOf(
  s: TestService,
  { frames, id }: Scene,
  count: number,
  { athlete = id, everyMs = 1, lengthMs }: Copies = {},
): Promise<void> {
  const start = sql`start_time + n * ${everyMs}::float * interval '1 ms'`;
  const end = lengthMs === undefined ? sql`end_time` : sql`${start} + ${lengthMs}::float * interval '1 ms'`;
  await s.store.database.queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT ${start}, ${end}, params, device_id, activity_id, ${athlete}, owner_id, json_schema_id, assigned_at
    FROM timeframes, generate_series(1, ${count}) AS n WHERE id = ${frames[0]}`);
}
