import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "../src/recording/encode.js";
import { scratchFolder } from "./asi-process.js";
import { wholeBytes } from "./whole.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);
export const [SOUTH, WEST] = [46.9626, 7.4641];
export const [NORTH, EAST] = [46.963212, 7.46548];
export const CORNERS = `${SOUTH},${WEST} ${SOUTH},${EAST} ${NORTH},${EAST} ${NORTH},${WEST}`;
/** The middle of a pitch of 105 x 68 m is at 52.5 and 34. */
export const SIZE = "105x68";

/** Players who stand: shares of the pitch along and across. */
const PLACES = { Keller: [0.05, 0.5], Meier: [0.25, 0.25], Graf: [0.75, 0.25], Roth: [0.5, 0.75] } as const;

/**
 * A folder with ten or more minutes of four players, a roster, and two halves; Roth plays only the first.
 *
 * @param onBench a player who does not move
 */
export async function matchFolder(minutes = 10, onBench?: string): Promise<string> {
  const folder = scratchFolder();
  for (const [i, [name, [along, across]]] of Object.entries(PLACES).entries()) {
    const rows = Array.from({ length: minutes * 60 }, (_, second) => ({
      timestamp: START_MS + second * 1000,
      latitude: SOUTH + (NORTH - SOUTH) * across,
      longitude: WEST + (EAST - WEST) * along,
      speed: name === onBench ? 0 : 1.5,
    }));
    const bytes = await wholeBytes(encode(rows, { serial: `TRK-${i + 1}` }));
    writeFileSync(join(folder, `${name}.asi`), bytes);
  }
  const roster = [
    "player,file,position",
    "Keller,Keller,GK",
    "Meier,Meier,DF",
    "Graf,Graf,MF",
    "Roth,Roth,FW",
  ];
  writeFileSync(join(folder, "roster.csv"), `${roster.join("\n")}\n`);
  const periods = [
    "period,start,end,player",
    "1st half,12:30,12:34,",
    "2nd half,12:35,12:39,",
    "2nd half,-,-,Roth",
  ];
  writeFileSync(join(folder, "periods.csv"), `${periods.join("\n")}\n`);
  return folder;
}
