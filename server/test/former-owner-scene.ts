/** Three managers, devices, and every sample marked with the manager who loaded it. */
import { afterAll, beforeAll, expect } from "vitest";
import { recordingOf, rowAt } from "./recordings.js";
import { newStore, type TestAccount, type TestDevice, TestService } from "./service.js";
import { newActivity, schemaId } from "./team.js";

export const MINUTE_MS = 60_000;
/** What a device's clock may be ahead of the server's. */
export const AHEAD_MS = 5 * MINUTE_MS;
export const isPostgres = process.env.TEST_DATABASE === "postgres";
export const iso = (ms: number) => new Date(ms).toISOString();

// A database of its own: here jobs are run and the clock is moved.
export let s: TestService;
export let managers: TestAccount[];
/** What each manager's time frames name beside the device. */
export let teams: { activity: number; athlete: number }[];

export const manager = (index: number): TestAccount => {
  const found = managers[index];
  if (found === undefined) throw new Error(`There is no manager ${index}`);
  return found;
};

export async function teamOf({ id, token }: TestAccount) {
  const [athlete] = (await s.get(`/api/v1/athletes/?managed_by=${id}`, token)).body.results;
  return { activity: await newActivity(s, { id, token }), athlete: athlete.id as number };
}

/** Degrees that tell who loaded a sample. */
export const latitudeOf = (index: number) => 10 + index;
export const heartRateOf = (index: number) => 100 + index;

/** A recording of a manager's: every sample says whose it is, every second one by its heart rate too. */
export const recordingBy = (device: TestDevice, index: number, times: readonly number[]) =>
  recordingOf(
    device.serial_number,
    times.map((ms) => ({
      ...rowAt(ms),
      latitude: latitudeOf(index),
      hr: ms % 2 === 0 ? heartRateOf(index) : null,
    })),
  );

/** Sends a recording; the work is done later. */
export async function upload(device: TestDevice, index: number, times: readonly number[], of = s) {
  const asi_b64 = Buffer.from(await recordingBy(device, index, times)).toString("base64");
  return of.post(`/api/v1/devices/${device.id}/bulk-load/`, { asi_b64 }, manager(index).token);
}

export async function load(device: TestDevice, index: number, times: readonly number[]) {
  return (await s.load(device, manager(index), await recordingBy(device, index, times))).body.details;
}

export const take = (device: TestDevice, index: number) => s.take(device, manager(index));
export const release = (device: TestDevice, index: number) => s.release(device, manager(index));

export interface Sample {
  "gnss.timestamp": number;
  "gnss.latitude": number;
  "ecg.hr": number | null;
}

export const raw = (device: TestDevice, index: number, startMs: number, stopMs: number, of = s) =>
  of.get(`/api/v1/devices/${device.id}/raw-data/?start=${startMs}&stop=${stopMs}`, manager(index).token);

/** Times of the samples that a manager may read. */
export async function timesRead(device: TestDevice, index: number, startMs: number, stopMs: number) {
  const { body } = await raw(device, index, startMs, stopMs);
  return (body.results ?? []).map((sample: Sample) => sample["gnss.timestamp"]);
}

export const now = () => s.clock.now().getTime();

/** The time frames by device and manager. */
export const frames = new Map<string, number>();

/** A manager's time frame about now on a device; undefined for one who has never owned it. */
export async function frameOf(device: TestDevice, index: number, of = s): Promise<number | undefined> {
  const key = `${device.id} ${index}`;
  const known = frames.get(key);
  if (known !== undefined) return known;
  const { id, token } = manager(index);
  const { status, body } = await of.post(
    "/api/v1/timeframes/",
    {
      start_time: iso(Date.now() - 48 * 3_600_000),
      end_time: iso(Date.now() + 48 * 3_600_000),
      params: {},
      device: device.id,
      ...teams[index],
      owner: id,
      json_schema: await schemaId(s, "timeframe_soccer"),
    },
    token,
  );
  expect([201, 400]).toContain(status);
  if (status === 400) return undefined;
  frames.set(key, body.id);
  return body.id;
}

/** The computed data of a manager's time frame; undefined where there is none. */
export async function computedRead(device: TestDevice, index: number, of = s) {
  const frame = await frameOf(device, index, of);
  if (frame === undefined) return undefined;
  const { status, body } = await of.get(`/api/v1/timeframes/${frame}/computed-data/`, manager(index).token);
  expect(status).toBe(200);
  return body as {
    first_timestamp: number | null;
    last_timestamp: number | null;
    hr_min: number;
    hr_max: number;
  };
}

/** Starts a service with three managers before the tests of a file. */
export function withManagers(): void {
  beforeAll(async () => {
    frames.clear();
    s = await TestService.start(await newStore());
    managers = await Promise.all([0, 1, 2].map(() => s.manager({}, "?create_default_athlete=true")));
    teams = await Promise.all(managers.map(teamOf));
  });
  afterAll(async () => {
    await s.stop();
    await s.store.close();
  });
}
