import { type Client, unwrap } from "asi-client";
import { demoRows } from "asi-convert";
import { recording, type TestFile } from "./device-scene.js";
import type { TestManager, TestService } from "./service.js";

/** 14:00 in Zurich, the time zone of the tests. */
export const KICK_OFF_MS = Date.UTC(2026, 4, 16, 12);
const LENGTH_MS = 20 * 60_000;
/** A row per second, because reading takes most of the time of these tests. */
const PERIOD_MS = 1000;

const iso = (minutes: number) => new Date(KICK_OFF_MS + minutes * 60_000).toISOString();
const ALWAYS = { start_time: "2020-01-01T00:00:00Z" };

export interface SquadScene extends TestManager {
  /** The client uses a token of the manager. */
  client: Client;
  squad: number;
  /** A recording of each player with a device. */
  files: TestFile[];
  serials: string[];
  /** Creates a session from ten minutes before the match to half an hour after its start. */
  session(name: string): Promise<number>;
}

function* slowRows(seed: number) {
  for (const row of demoRows({ seed, startMs: KICK_OFF_MS, durationMs: LENGTH_MS }))
    if (row.timestamp % PERIOD_MS === 0) yield row;
}

/** Creates a manager with a squad of these players and their devices. A player called Vogel has no device. */
export async function squadScene(
  service: TestService,
  username: string,
  players: readonly string[],
): Promise<SquadScene> {
  const manager = await service.manager(username);
  await service.command("manager", "grant", username);
  const client = await service.clientOf(username);
  const { id: squad } = await unwrap(client.POST("/api/v2/squads/", { body: { name: "First team" } }));
  const files: TestFile[] = [];
  const serials: string[] = [];
  for (const [i, name] of [...players, "Vogel"].entries()) {
    const athlete = await unwrap(
      client.POST("/api/v1/athletes/create-managed/", {
        body: { managed_by: manager.id, athlete_profile: { first_name: name } },
      }),
    );
    const member = { squad, athlete: athlete.id, number: i + 1, position: i === 0 ? "GK" : "MF", ...ALWAYS };
    await unwrap(client.POST("/api/v2/members/", { body: member }));
    if (name === "Vogel") continue;
    const serial = `${username.toUpperCase()}-${i + 1}`;
    await service.addDevice(serial, serial.toLowerCase());
    const body = { serial_number: serial, device_name: serial.toLowerCase() };
    const device = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body }));
    await service.command("ownership", "backdate", serial, "--start", ALWAYS.start_time);
    await unwrap(
      client.POST("/api/v2/assignments/", { body: { device: device.id, athlete: athlete.id, ...ALWAYS } }),
    );
    serials.push(serial);
    files.push(await recording(serial, slowRows(i + 1), `${serial}.asi`));
  }
  return {
    ...manager,
    client,
    squad,
    files,
    serials,
    async session(name) {
      const body = {
        name,
        squad,
        kind: "match" as const,
        sport: "soccer" as const,
        start_time: iso(-10),
        end_time: iso(30),
      };
      return (await unwrap(client.POST("/api/v2/sessions/", { body }))).id;
    },
  };
}

/** Stores the recordings of a scene without using the page. */
export async function storeRecordings({ client, files }: SquadScene): Promise<void> {
  const stored = await client.uploadRecordings(files.map(({ buffer }) => new Blob([new Uint8Array(buffer)])));
  for (const { job } of stored) await client.waitForJob(job?.job_id ?? "", { intervalMs: 50 });
}
