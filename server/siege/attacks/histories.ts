import { type Attack, repeat, type Siege } from "./attack.js";

const send = async ({ client, attacker }: Siege, method: string, path: string, json?: unknown) =>
  (
    await client.send(`/api/v1${path}`, {
      method,
      token: attacker.token,
      ...(json === undefined ? {} : { json }),
    })
  ).status;

/** What is small each time, and grows with its number: entries of the audit, ownerships. */
export const histories: readonly Attack[] = [
  {
    name: "an activity renamed, 32 at a time: the audit grows with each",
    as: "user",
    run: (siege, tally) =>
      repeat(siege.signal, 32, tally, (round) =>
        send(siege, "PATCH", `/activities/${siege.attacker.activity}/`, {
          name: `${round} ${"x".repeat(100)}`,
        }),
      ),
  },
  {
    name: "a device taken and released over and over, and its raw data read, 16 at a time",
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
];
