import { demoSquad } from "asi-convert";
import type { DemoMatch } from "../recording/squad/messages.js";

/** The data of a made-up match that are known before its recordings: their number, roster and periods. */
export function demoSheets(match: DemoMatch): { recordings: number; roster: string; periods: string } {
  const { recordings, roster, periods } = demoSquad(match);
  return { recordings: recordings.length, roster, periods };
}
