import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "../src/recording/encode.js";
import { scratchFolder } from "./asi-process.js";
import { wholeBytes } from "./whole.js";

/** Start of the recordings. */
export const START_MS = Date.UTC(2026, 4, 16, 12, 30);

/**
 * A folder with ten minutes of players at constant speeds (m/s) with a heart rate of 150, recorded by the trackers TRK-1, TRK-2
 * and so on, with the lines of a roster and of periods in the format of Excel.
 */
export async function folderOfTraining(
  speeds: readonly number[],
  { roster, periods }: { roster: readonly string[]; periods: readonly string[] },
): Promise<string> {
  const folder = join(scratchFolder(), "training");
  mkdirSync(folder);
  for (const [index, speed] of speeds.entries()) {
    const rows = Array.from({ length: 600 }, (_, second) => ({
      timestamp: START_MS + second * 1000,
      latitude: 46.9629 + second * 1e-5,
      longitude: 7.4648,
      speed,
      hr: 150,
    }));
    const recording = await wholeBytes(encode(rows, { serial: `TRK-${index + 1}` }));
    writeFileSync(join(folder, `${index + 1}.asi`), recording);
  }
  const lines = (all: readonly string[]) => all.map((line) => `${line}\r\n`).join("");
  writeFileSync(join(folder, "roster.csv"), lines(roster));
  writeFileSync(join(folder, "periods.csv"), lines(periods));
  return folder;
}

/** Ten minutes of three players, with a roster and periods in the format of Excel. */
export const trainingFolder = () =>
  folderOfTraining([3, 4, 8], {
    roster: ["Player;Serial;Position", "Müller;TRK-1;GK", "Kunz;TRK-2;FW", "Vogel;TRK-3;FW"],
    periods: ["period;start;end;player", "Drill;14:30;14:35;", "Drill;14:32;14:35;Kunz", "Drill;-;-;Vogel"],
  });

/** Writes a recording of ten minutes at 5 m/s into a folder. */
export async function recordingAt(
  folder: string,
  name: string,
  startMs: number,
  serial = "TRK-9",
  heart: { hr?: number } = {},
): Promise<void> {
  const rows = Array.from({ length: 600 }, (_, second) => ({
    timestamp: startMs + second * 1000,
    latitude: 46.9629,
    longitude: 7.4648,
    speed: 5,
    ...heart,
  }));
  writeFileSync(join(folder, name), await wholeBytes(encode(rows, { serial })));
}
