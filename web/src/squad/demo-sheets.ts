import { demoSquad } from "asi-convert";
import type { DemoMatch } from "../recording/squad/messages.js";

/** What is known of a made-up match before its recordings are made: how many there are, roster and periods. */
export function demoSheets(match: DemoMatch): { recordings: number; roster: string; periods: string } {
  const { recordings, roster, periods } = demoSquad(match);
  return { recordings: recordings.length, roster, periods };
}
