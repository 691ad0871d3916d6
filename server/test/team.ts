import { and, eq } from "drizzle-orm";
import { transact } from "../src/domain/change/change.js";
import type { UnitOfWork } from "../src/domain/change/unit-of-work.js";
import { allocateColumns, FIX_3D, sqlClientOf, storeSamples } from "../src/store/samples/index.js";
import { accounts, jsonSchemas, permissions } from "../src/store/schema.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";

/** A sample: time in ms, speed in mm/s, heart rate in beats per minute (0 or absent: none). */
export interface Sample {
  t: number;
  speed: number;
  hr?: number;
}

/**
 * Creates the objects that a time frame refers to: a manager, an athlete who grants all permissions to the manager, a device, and
 * an activity.
 */
export class Team {
  readonly s: TestService;
  readonly manager: TestAccount;
  readonly athlete: number;
  readonly device: TestDevice;
  readonly activity: number;

  constructor(s: TestService, manager: TestAccount, athlete: number, device: TestDevice, activity: number) {
    this.s = s;
    this.manager = manager;
    this.athlete = athlete;
    this.device = device;
    this.activity = activity;
  }

  static async of(s: TestService, athleteProfile: Record<string, unknown> = {}): Promise<Team> {
    const manager = await s.manager({ athlete_profile: athleteProfile }, "?create_default_athlete=true");
    const [athlete] = await s.store.database.queries
      .select()
      .from(accounts)
      .where(and(eq(accounts.managedBy, manager.id), eq(accounts.isDefaultAthlete, true)));
    const device = await s.ownedDevice(manager);
    const activity = await newActivity(s, manager);
    return new Team(s, manager, athlete?.id ?? 0, device, activity);
  }

  /** Returns the body of a time frame, which by default lasts one hour from 2024-06-01T10:00Z. */
  async body(changes: Record<string, unknown> = {}) {
    return {
      start_time: "2024-06-01T10:00:00.000Z",
      end_time: "2024-06-01T11:00:00.000Z",
      params: {},
      device: this.device.id,
      activity: this.activity,
      athlete: this.athlete,
      owner: this.manager.id,
      json_schema: await schemaId(this.s, "timeframe_soccer"),
      ...changes,
    };
  }

  async create(changes: Record<string, unknown> = {}) {
    return this.s.post("/api/v1/timeframes/", await this.body(changes), this.manager.token);
  }

  /** Creates a time frame from the first to the last of the given seconds. @returns its id */
  async frame(fromSeconds: number, toSeconds: number, changes: Record<string, unknown> = {}) {
    const { status, body } = await this.create({
      start_time: new Date(this.#instant(fromSeconds)).toISOString(),
      end_time: new Date(this.#instant(toSeconds)).toISOString(),
      ...changes,
    });
    if (status !== 201) throw new Error(`No time frame: ${status} ${JSON.stringify(body)}`);
    return body.id as number;
  }

  /** The time from which seconds count, ms since 1970 UTC; it is after the creation of the team. */
  readonly #start = Math.ceil(Date.now() / 1000 + 60) * 1000;
  #instant(seconds: number): number {
    return this.#start + seconds * 1000;
  }

  /** Stores samples as the load of a recording does. */
  async run(
    fromSeconds: number,
    toSeconds: number,
    speedMmPerS: number | ((k: number) => number),
    hr = 0,
  ): Promise<void> {
    await store(this.s, this.device.id, this.samples(fromSeconds, toSeconds, speedMmPerS, hr));
  }

  /** Returns ten samples per second at a steady speed, or at a speed that depends on the index of the sample. */
  samples(
    fromSeconds: number,
    toSeconds: number,
    speedMmPerS: number | ((k: number) => number),
    hr = 0,
  ): Sample[] {
    const speedAt = typeof speedMmPerS === "number" ? () => speedMmPerS : speedMmPerS;
    const samples: Sample[] = [];
    for (let t = this.#instant(fromSeconds); t < this.#instant(toSeconds); t += 100) {
      samples.push({ t, speed: speedAt(samples.length), hr });
    }
    return samples;
  }

  computed(timeframe: number, token = this.manager.token) {
    return this.s.get(`/api/v1/timeframes/${timeframe}/computed-data/`, token);
  }
}

const schemaIds = new WeakMap<object, Map<string, number>>();

export async function schemaId(s: TestService, name: string): Promise<number> {
  const { queries } = s.store.database;
  let ids = schemaIds.get(queries);
  if (ids === undefined) {
    ids = new Map((await queries.select().from(jsonSchemas)).map((row) => [row.name, row.id]));
    schemaIds.set(queries, ids);
  }
  return ids.get(name) ?? 0;
}

export async function newActivity(
  s: TestService,
  owner: Pick<TestAccount, "id" | "token">,
  name = "A match",
  sport = "soccer",
): Promise<number> {
  const { status, body } = await s.post(
    "/api/v1/activities/",
    {
      name,
      json: { sport },
      json_schema: await schemaId(s, `activity_${sport}`),
      owner: owner.id,
    },
    owner.token,
  );
  if (status !== 201) throw new Error(`No activity: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** Stores samples of a device as a load does. */
export const store = (s: TestService, deviceId: number, samples: readonly Sample[]): Promise<void> =>
  transact(s.ctx, "test", (unit) => storeIn(unit, deviceId, samples));

/** Stores samples of a device in a transaction, as the load of a recording does. */
export async function storeIn(
  { queries, announce }: UnitOfWork,
  deviceId: number,
  samples: readonly Sample[],
): Promise<void> {
  const columns = allocateColumns(samples.length);
  samples.forEach(({ t, speed, hr }, i) => {
    columns.timestampMs[i] = t;
    columns.speedMmPerS[i] = speed;
    columns.hr[i] = hr ?? 0;
    columns.fixType[i] = FIX_3D;
  });
  const { changed } = await storeSamples(sqlClientOf(queries), deviceId, [columns]);
  await announce("samplesStored", { deviceId, changed });
}

/** Grants a manager a permission on an athlete. */
export async function grant(
  s: TestService,
  athleteId: number,
  managerId: number,
  permission: "READ" | "WRITE",
  from: string,
  until: string,
): Promise<void> {
  await s.store.database.queries.insert(permissions).values({
    athleteId,
    managerId,
    permission,
    startTime: new Date(from),
    expirationTime: new Date(until),
  });
}
