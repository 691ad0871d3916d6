import { demoSquad } from "asi-convert";
import { offsetIn } from "asi-convert/squad";
import type { DemoMatch } from "../recording/squad/messages.js";

/** A Saturday afternoon in May 2026, as in the command. */
const START_MS = Date.UTC(2026, 4, 16, 12, 30);
const PLAYERS = 25;

/** Describes the generated match before its recordings are generated. Returns their number, and the files of roster and periods. */
export function demoMatch(timeZone: string): { match: DemoMatch; recordings: number; sheets: File[] } {
  const match = { players: PLAYERS, startMs: START_MS, offsetMs: offsetIn(timeZone, START_MS) };
  const { recordings, roster, periods } = demoSquad(match);
  const sheets = [new File([roster], "roster.csv"), new File([periods], "periods.csv")];
  return { match, recordings: recordings.length, sheets };
}
