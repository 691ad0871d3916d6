import { demoRows, encode } from "asi-convert";

const MATCH_MS = 105 * 60_000;
const KICK_OFF_MS = Date.UTC(2025, 4, 17, 14, 30);

/** Generates a recording of a match as a file to open. Each number selects a different player of the match. */
export async function demonstration(number: number): Promise<File> {
  const serial = `DEMO-000${number}`;
  const rows = demoRows({ seed: number, startMs: KICK_OFF_MS, durationMs: MATCH_MS });
  const stream = encode(rows, { serial, deviceName: `Demo player ${number}`, deviceType: "made up" });
  return new File([await new Response(stream as BodyInit).blob()], `${serial}.asi`);
}
