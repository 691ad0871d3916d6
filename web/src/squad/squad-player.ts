import type { SquadMember, SquadRow } from "asi-convert/squad";
import type { OpenRecording } from "../recording/squad/squad-recording.js";

/** A row of the view: a person, with the recordings of the session. */
export interface SquadPlayer extends SquadMember<OpenRecording> {
  /** Identifies the row while files are read and rosters change. */
  key: string;
  /** A file that could not be read keeps its row: what to say in it. */
  failed: string | null;
}

/** A row with its figures. */
export interface PlayerRow extends SquadRow {
  member: SquadPlayer;
}
