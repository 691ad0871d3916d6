import type { SquadMember, SquadRow } from "asi-convert/squad";
import type { OpenRecording } from "../recording/squad/squad-recording.js";

/** Whether a recording has neither damage nor an early end. */
export const isSound = ({ isDamaged, isCut, isTruncated }: OpenRecording): boolean =>
  !isDamaged && !isCut && !isTruncated;

/** A row of the view: a player with the recordings of the session. */
export interface SquadPlayer extends SquadMember<OpenRecording> {
  /** Identifies the row during reading and changes of rosters. */
  key: string;
  /** The message in the row of a file that could not be read. */
  failed: string | null;
}

/** A row with its figures. */
export interface PlayerRow extends SquadRow {
  member: SquadPlayer;
}
