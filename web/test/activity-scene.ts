import { type Client, type Resource, unwrap } from "asi-client";
import { type EncodableRow, encode } from "asi-convert";
import type { TestManager, TestService } from "./service.js";

/** Start of the recordings, which contain 20 minutes at 10 Hz. */
export const START_MS = Date.UTC(2025, 4, 17, 12);
const MINUTES = 20;

/** Returns the speeds of a run in intervals of a minute. The faster intervals have this speed, m/s. */
function* intervals(fastest: number): Generator<EncodableRow> {
  let metres = 0;
  for (let i = 0; i < MINUTES * 600; i++) {
    const seconds = i / 10;
    const speed =
      Math.floor(seconds / 60) % 2 === 0 ? 2 : 2 + (fastest - 2) * Math.sin((Math.PI * (seconds % 60)) / 60);
    metres += speed / 10;
    yield {
      timestamp: START_MS + i * 100,
      latitude: 46.5197 + metres / 111_320,
      longitude: 6.6323,
      altitude: 372,
      speed,
      hr: i % 10 === 0 ? Math.round(120 + 60 * Math.sin((Math.PI * seconds) / (MINUTES * 60))) : null,
    };
  }
}

/** Returns a recording whose first sample is at `START_MS`. @param fastest speed of its fast intervals, m/s */
export async function recordingOf(serial: string, fastest: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of encode(intervals(fastest), {
    serial,
    deviceName: "tracker",
    deviceType: "T1",
    firmwareVersion: "1.0.0",
  })) {
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

export interface TeamScene extends TestManager {
  /** The client uses a token of the manager. */
  client: Client;
  athletes: Resource["Athlete"][];
  devices: Resource["Device"][];
  /** The schemas of football activities and of their time frames. */
  schemas: { activity: number; timeframe: number };
  /** Creates a football activity. */
  activity(name: string): Promise<Resource["Activity"]>;
  /** Creates a time frame between two minutes of the recordings. */
  frame(
    activity: number,
    n: number,
    from: number,
    to: number,
    params?: object,
  ): Promise<Resource["Timeframe"]>;
}

/** Creates a manager with two athletes, who wear two devices at the same time. */
export async function teamScene(
  service: TestService,
  username: string,
  names: readonly [string, string] = ["Ada", "Bea"],
): Promise<TeamScene> {
  const manager = await service.manager(username);
  await service.command("manager", "grant", username);
  const client = await service.clientOf(username);
  const devices: Resource["Device"][] = [];
  const athletes: Resource["Athlete"][] = [];
  for (const [i, name] of names.entries()) {
    const serial = `${username.toUpperCase()}-${i + 1}`;
    await service.addDevice(serial, serial.toLowerCase());
    const body = { serial_number: serial, device_name: serial.toLowerCase() };
    devices.push(await unwrap(client.POST("/api/v1/devices/take-ownership/", { body })));
    await service.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
    const device = devices[i]?.id ?? 0;
    const job = await client.upload(device, await recordingOf(serial, i === 0 ? 7 : 9));
    await client.waitForJob(job.job_id, { intervalMs: 50 });
    const athlete = { managed_by: manager.id, athlete_profile: { first_name: name, last_name: "Moss" } };
    athletes.push(await unwrap(client.POST("/api/v1/athletes/create-managed/", { body: athlete })));
  }
  const all = await unwrap(client.GET("/api/v1/json-schemas/", { params: { query: { limit: 100 } } }));
  const idOf = (name: string) => all.results.find((schema) => schema.name === name)?.id ?? 0;
  const schemas = { activity: idOf("activity_soccer"), timeframe: idOf("timeframe_soccer") };
  return {
    ...manager,
    client,
    athletes,
    devices,
    schemas,
    activity: (name) =>
      unwrap(
        client.POST("/api/v1/activities/", {
          body: { name, json: { sport: "soccer" }, json_schema: schemas.activity, owner: manager.id },
        }),
      ),
    frame: (activity, n, from, to, params = {}) =>
      unwrap(
        client.POST("/api/v1/timeframes/", {
          body: {
            start_time: new Date(START_MS + from * 60_000).toISOString(),
            end_time: new Date(START_MS + to * 60_000).toISOString(),
            params: { ...params },
            device: devices[n]?.id ?? 0,
            athlete: athletes[n]?.id ?? 0,
            activity,
            owner: manager.id,
            json_schema: schemas.timeframe,
          },
        }),
      ),
  };
}
