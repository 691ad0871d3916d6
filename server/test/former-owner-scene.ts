/** Three managers, their devices, and samples marked with the manager who loaded them. */
import { expect } from "vitest";
import { withOwnService } from "./file-service.js";
import { recordingOf, rowAt } from "./recordings.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";
import { newActivity, schemaId } from "./team.js";

export const MINUTE_MS = 60_000;
/** Maximum time that the clock of a device is ahead of the server. */
export const AHEAD_MS = 5 * MINUTE_MS;
export const isPostgres = process.env.TEST_DATABASE === "postgres";
export const iso = (ms: number) => new Date(ms).toISOString();

/** Latitude, in degrees, that identifies the manager who loaded a sample. */
export const latitudeOf = (index: number) => 10 + index;
export const heartRateOf = (index: number) => 100 + index;

/**
 * Creates a recording of a manager. The position of every sample identifies the manager, and so does the heart rate of every
 * second sample.
 */
export const recordingBy = (device: TestDevice, index: number, times: readonly number[]) =>
  recordingOf(
    device.serial_number,
    times.map((ms) => ({
      ...rowAt(ms),
      latitude: latitudeOf(index),
      hr: ms % 2 === 0 ? heartRateOf(index) : null,
    })),
  );

export interface Sample {
  "gnss.timestamp": number;
  "gnss.latitude": number;
  "ecg.hr": number | null;
}

/** Returns the activity and the athlete for the time frames of a manager. */
async function teamOf(s: TestService, { id, token }: TestAccount) {
  const [athlete] = (await s.get(`/api/v1/athletes/?managed_by=${id}`, token)).body.results;
  return { activity: await newActivity(s, { id, token }), athlete: athlete.id as number };
}

async function managersOn(s: TestService) {
  const managers = await Promise.all([0, 1, 2].map(() => s.manager({}, "?create_default_athlete=true")));
  const teams = await Promise.all(managers.map((one) => teamOf(s, one)));

  const manager = (index: number): TestAccount => {
    const found = managers[index];
    if (found === undefined) throw new Error(`There is no manager ${index}`);
    return found;
  };

  /** Sends a recording without running its job. */
  async function upload(device: TestDevice, index: number, times: readonly number[], of = s) {
    const asi_b64 = Buffer.from(await recordingBy(device, index, times)).toString("base64");
    return of.post(`/api/v1/devices/${device.id}/bulk-load/`, { asi_b64 }, manager(index).token);
  }

  async function load(device: TestDevice, index: number, times: readonly number[]) {
    return (await s.load(device, manager(index), await recordingBy(device, index, times))).body.details;
  }

  const take = (device: TestDevice, index: number) => s.take(device, manager(index));
  const release = (device: TestDevice, index: number) => s.release(device, manager(index));

  const raw = (device: TestDevice, index: number, startMs: number, stopMs: number, of = s) =>
    of.get(`/api/v1/devices/${device.id}/raw-data/?start=${startMs}&stop=${stopMs}`, manager(index).token);

  /** Returns the times of the samples that a manager may read. */
  async function timesRead(device: TestDevice, index: number, startMs: number, stopMs: number) {
    const { body } = await raw(device, index, startMs, stopMs);
    return (body.results ?? []).map((sample: Sample) => sample["gnss.timestamp"]);
  }

  const now = () => s.clock.now().getTime();

  /** Ids of time frames by device and manager. */
  const frames = new Map<string, number>();

  /**
   * Creates a time frame around now for a manager and a device. @returns its id; undefined if the manager has never owned the
   * device
   */
  async function frameOf(device: TestDevice, index: number, of = s): Promise<number | undefined> {
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

  /** Returns the computed data for a manager's time frame; undefined if there is no time frame. */
  async function computedRead(device: TestDevice, index: number, of = s) {
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

  return { s, managers, manager, upload, load, take, release, raw, timesRead, now, frameOf, computedRead };
}

export type Owners = Awaited<ReturnType<typeof managersOn>>;

/** Creates an `it` for a file with a service and three managers. */
export const withManagers = () =>
  withOwnService().extend("owners", { scope: "file" }, ({ service }) => managersOn(service));
