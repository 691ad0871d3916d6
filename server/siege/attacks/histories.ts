import { HISTORY_HOURS, HISTORY_MS } from "../histories.js";
import { type Attack, repeat, type Siege } from "./attack.js";

const send = async ({ client, attacker }: Siege, method: string, path: string, json?: unknown) =>
  (
    await client.send(`/api/v1${path}`, {
      method,
      token: attacker.token,
      ...(json === undefined ? {} : { json }),
    })
  ).status;

const HOUR_MS = 3_600_000;

/** Attacks that accumulate small rows: entries of the audit log, and ownerships. */
export const histories: readonly Attack[] = [
  {
    name: "renames of an activity, 32 at a time, each of which adds to the audit log",
    as: "user",
    run: (siege, tally) =>
      repeat(siege.signal, 32, tally, (round) =>
        send(siege, "PATCH", `/activities/${siege.attacker.activity}/`, {
          name: `${round} ${"x".repeat(100)}`,
        }),
      ),
  },
  {
    name: "a device taken and released repeatedly, and its raw data read, 16 at a time",
    as: "user",
    days: true,
    run: (siege, tally) =>
      repeat(siege.signal, 16, tally, (round) => {
        const { device, serial, startMs } = siege.attacker;
        if (round % 3 === 0) return send(siege, "POST", `/devices/${device}/release-ownership/`);
        if (round % 3 === 1)
          return send(siege, "POST", "/devices/take-ownership/", {
            serial_number: serial,
            device_name: serial,
          });
        return send(
          siege,
          "GET",
          `/devices/${device}/preprocessed-data/?start=${startMs + round}&stop=${startMs + 3_600_000}`,
        );
      }),
  },
  {
    name: "10,000 ownerships of a device: raw data and ranges across them, 16 at a time",
    as: "user",
    days: true,
    histories: true,
    run: (siege, tally) =>
      repeat(siege.signal, 16, tally, (round) => {
        const path = `/devices/${siege.attacker.device}/preprocessed-data`;
        const start = HISTORY_MS + round;
        return round % 2 === 0
          ? send(siege, "GET", `${path}/?start=${start}&stop=${start + 48 * HOUR_MS}`)
          : send(siege, "GET", `${path}-ranges/?start=${start}&stop=${start + HISTORY_HOURS * HOUR_MS}`);
      }),
  },
  {
    name: "10,000 time frames of an athlete: exports, and birth dates that make all of them stale",
    as: "user",
    days: true,
    histories: true,
    run: (siege, tally) =>
      repeat(siege.signal, 4, tally, (round) => {
        const { athlete } = siege.attacker;
        if (round % 4 === 0) return send(siege, "GET", `/athletes/${athlete}/export/`);
        const birth_date = `19${50 + (round % 50)}-01-01`;
        return send(siege, "PATCH", `/athletes/${athlete}/`, { athlete_profile: { birth_date } });
      }),
  },
  {
    name: "10,000 time frames of an activity with a course: pages with it, 16 at a time",
    as: "user",
    days: true,
    histories: true,
    run: async (siege, tally) => {
      const { activity } = siege.attacker;
      const json = { sport: "soccer", gpx: "x".repeat(5 * 1024 * 1024 - 100) };
      tally.add(await send(siege, "PATCH", `/activities/${activity}/`, { json }));
      await repeat(siege.signal, 16, tally, (round) =>
        send(siege, "GET", `/timeframes/?with_activity=true&limit=300&page=${1 + (round % 30)}`),
      );
    },
  },
];
