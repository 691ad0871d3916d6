import { type Client, type Resource, unwrap } from "asi-client";
import { type EncodableRow, encode } from "asi-convert";
import type { TestManager, TestService } from "./service.js";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The start of the first session. The others follow at intervals of a week. */
export const FIRST_MS = Date.UTC(2026, 3, 11, 12);
/** Two halves. */
export const LENGTH_MINUTES = 60;

export const startOf = (session: number): number => FIRST_MS + session * 7 * DAY_MS;

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns a run at constant speed, with one row per second. */
function* run(startMs: number, mPerS: number, heart: { hr?: number }): Generator<EncodableRow> {
  for (let second = 0; second < LENGTH_MINUTES * 60; second++) {
    const metres = second * mPerS;
    yield {
      timestamp: startMs + second * 1000,
      latitude: 46.5197 + metres / 111_320,
      longitude: 6.6323,
      speed: mPerS,
      ...heart,
    };
  }
}

async function recordingOf(serial: string, startMs: number, mPerS: number, heart: { hr?: number }) {
  const pieces: Uint8Array[] = [];
  for await (const piece of encode(run(startMs, mPerS, heart), { serial, periodMs: 1000 }))
    pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

export interface SquadPeople extends TestManager {
  client: Client;
  athletes: Resource["Athlete"][];
  devices: Resource["Device"][];
}

/** Creates a manager with athletes, who has owned a device for each of them since 2020. */
export async function squadPeople(
  service: TestService,
  username: string,
  names: readonly string[],
): Promise<SquadPeople> {
  const manager = await service.manager(username);
  await service.command("manager", "grant", username);
  const client = await service.clientOf(username);
  const athletes: Resource["Athlete"][] = [];
  const devices: Resource["Device"][] = [];
  for (const [i, name] of names.entries()) {
    const serial_number = `${username.toUpperCase()}-${i + 1}`;
    const device_name = `tracker ${i + 1}`;
    await service.addDevice(serial_number, device_name);
    const taken = { serial_number, device_name };
    devices.push(await unwrap(client.POST("/api/v1/devices/take-ownership/", { body: taken })));
    await service.command("ownership", "backdate", serial_number, "--start", "2020-01-01T00:00:00Z");
    const [first_name = "", last_name = ""] = name.split(" ");
    const body = { managed_by: manager.id, athlete_profile: { first_name, last_name } };
    athletes.push(await unwrap(client.POST("/api/v1/athletes/create-managed/", { body })));
  }
  return { ...manager, client, athletes, devices };
}

/** Creates a squad of these people. Each has a number and a device. */
export async function squadOf({ client, athletes, devices }: SquadPeople, name: string): Promise<number> {
  const { id: squad } = await unwrap(client.POST("/api/v2/squads/", { body: { name } }));
  const start_time = "2025-01-01T00:00:00Z";
  for (const [i, { id: athlete }] of athletes.entries()) {
    const member = { squad, athlete, start_time, number: i + 7, position: "MF" };
    await unwrap(client.POST("/api/v2/members/", { body: member }));
    const device = devices[i]?.id ?? 0;
    await unwrap(client.POST("/api/v2/assignments/", { body: { device, athlete, start_time } }));
  }
  return squad;
}

/**
 * Creates matches with recordings, a week apart.
 * @param speeds of each player in each match, m/s; null if the player has no recording of it
 * @param heart the heart rate of all rows, bpm; default: none
 * @returns the ids of the sessions
 */
export async function playSeason(
  { client, devices }: SquadPeople,
  squad: number,
  speeds: readonly (readonly (number | null)[])[],
  heart: { hr?: number } = {},
): Promise<number[]> {
  const recordings: Uint8Array<ArrayBuffer>[] = [];
  for (const [i, own] of speeds.entries()) {
    for (const [n, mPerS] of own.entries())
      if (mPerS !== null)
        recordings.push(await recordingOf(devices[i]?.serial_number ?? "", startOf(n), mPerS, heart));
  }
  for (const { job } of await client.uploadRecordings(recordings))
    await client.waitForJob(job?.job_id ?? "", { intervalMs: 50 });
  const sessions: number[] = [];
  for (let n = 0; n < (speeds[0]?.length ?? 0); n++) {
    const body = {
      name: `Round ${n + 1}`,
      squad,
      kind: "match" as const,
      sport: "soccer" as const,
      start_time: iso(startOf(n)),
      end_time: iso(startOf(n) + LENGTH_MINUTES * MINUTE_MS),
    };
    const { id: session } = await unwrap(client.POST("/api/v2/sessions/", { body }));
    sessions.push(session);
    const half = (name: string, from: number) => ({
      name,
      start_time: iso(startOf(n) + from * MINUTE_MS),
      end_time: iso(startOf(n) + (from + LENGTH_MINUTES / 2) * MINUTE_MS),
      athlete: null,
    });
    const halves = [half("1st half", 0), half("2nd half", LENGTH_MINUTES / 2)];
    const params = { path: { session } };
    await unwrap(client.PUT("/api/v2/sessions/{session}/periods/", { params, body: halves }));
  }
  return sessions;
}

/** Computes the figures of sessions. */
export async function compute({ client }: SquadPeople, sessions: readonly number[]): Promise<void> {
  for (const session of sessions)
    await unwrap(client.GET("/api/v2/sessions/{session}/figures/", { params: { path: { session } } }));
}
