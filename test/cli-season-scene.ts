import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "../src/recording/encode.js";
import { scratchFolder } from "./asi-process.js";
import { wholeBytes } from "./whole.js";

export const DAY_MS = 86_400_000;
export const START_MS = Date.UTC(2026, 3, 12, 13);
/** Speeds of Kunz in six matches, a week apart, m/s. The mean of the first five is 3 m/s. */
export const SPEEDS = [2.8, 3.2, 3, 2.9, 3.1, 3.3];
/** From the first to the last row of each of two halves: 30 minutes at one row a second. */
export const PLAYED_S = 2 * 1799;

/** A row each second, at constant speed. @param hr the heart rate in a second */
export function recording(
  serial: string,
  startMs: number,
  seconds: number,
  speed: number,
  hr?: (second: number) => number,
): Promise<Uint8Array> {
  const rows = Array.from({ length: seconds }, (_, second) => ({
    timestamp: startMs + second * 1000,
    latitude: 46.9629,
    longitude: 7.4648,
    speed,
    ...(hr?.(second) && { hr: hr(second) }),
  }));
  return wholeBytes(encode(rows, { serial }));
}

/** Six matches and a training session of Kunz; Lang takes part only in the first match, and sits on the bench in its second half. */
export async function seasonFolder(): Promise<string> {
  const season = join(scratchFolder(), "season");
  const write = async (folder: string, name: string, bytes: Promise<Uint8Array> | string) => {
    mkdirSync(join(season, folder), { recursive: true });
    writeFileSync(join(season, folder, name), await bytes);
  };
  const periods = "period;start;end;player\r\n1st half;13:00;13:30;\r\n2nd half;13:31;14:01;\r\n";
  for (const [week, speed] of SPEEDS.entries()) {
    const folder = `match ${week + 1}`;
    const startMs = START_MS + week * 7 * DAY_MS;
    await write(folder, "a.asi", recording("TRK-1", startMs, 3660, speed));
    await write(folder, "periods.csv", week === 0 ? `${periods}2nd half;-;-;Lang\r\n` : periods);
  }
  await write("match 1", "b.asi", recording("TRK-2", START_MS, 3660, 2));
  await write("training", "a.asi", recording("TRK-1", START_MS + 3 * DAY_MS, 601, 5));
  writeFileSync(
    join(season, "roster.csv"),
    "player;serial;number;position\nKunz;TRK-1;11;FW\nLang;TRK-2;10;MF\n",
  );
  return season;
}
