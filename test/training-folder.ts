import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "../src/recording/encode.js";
import { scratchFolder } from "./asi-process.js";
import { wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);

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
