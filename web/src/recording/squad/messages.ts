import type { Interval, MemberFigures, Player, RecordingExtent, SquadOptions } from "asi-convert/squad";
import type { OptionalFigure } from "asi-convert/squad-report";
import type { DeviceRange } from "../device-range.js";
import type { OpenRecording, ReadRecording } from "./squad-recording.js";

export type AskedRecording = Pick<OpenRecording, "id" | "shiftMs">;

/** A member of the squad, in a call to a worker. */
export interface AskedMember {
  /** Recordings in this worker, with the corrections of their clocks. */
  recordings: readonly AskedRecording[];
  name: string;
  player: Player | null;
  /** The times of the player, or null for all samples. */
  intervals: readonly Interval[] | null;
}

/** Options of figures in a call to a worker, which cannot contain functions. */
export interface AskedOptions extends Omit<SquadOptions, "peaks" | "metabolic" | "standardRuns"> {
  /** The optional figures to compute. */
  optionalFigures: readonly OptionalFigure[];
}

/** The parameters of a generated match. */
export interface DemoMatch {
  players: number;
  startMs: number;
  /** UTC offset of the times in its periods. */
  offsetMs: number;
}

/** The calls from the squad view to a worker. */
export interface SquadRequests {
  /** The time and place of a recording, from its two ends. The answer is null if the file does not contain them. */
  peek: { asked: { file: File }; answered: RecordingExtent | null };
  read: { asked: { id: number; file: File }; answered: ReadRecording };
  /** Fetches a range from the service. */
  readRange: { asked: { id: number; range: DeviceRange; fileName: string }; answered: ReadRecording };
  /** Stores the recording of a second tracker of a player, which a different worker has read. */
  adopt: { asked: Pick<OpenRecording, "id" | "samples" | "shiftMs" | "file">; answered: null };
  /** Generates a file of the match. */
  demoFile: { asked: DemoMatch & { number: number }; answered: File };
  forget: { asked: { id: number }; answered: null };
  memberFigures: {
    asked: { members: readonly AskedMember[]; options: AskedOptions };
    answered: MemberFigures[];
  };
}
