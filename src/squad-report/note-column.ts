import { MATCH } from "../squad/matches.js";
import { textColumn } from "./cell-files.js";
import type { SquadFileRow } from "./squad-columns.js";

/** A column of files in which rows of a match have a note. */
export const NOTE_COLUMN = textColumn<Pick<SquadFileRow, "period" | "note">>(
  "match_note",
  "Note about the match",
  ({ period, note = null }) => (period === MATCH ? note : null),
);
