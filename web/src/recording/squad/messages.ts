import type { SampleBatch } from "asi-convert";
import type { Interval, MemberFigures, Player, RecordingExtent, SquadOptions } from "asi-convert/squad";
import type { ReadRecording } from "./squad-recording.js";

/** A member of the squad, as a worker knows it. */
export interface AskedMember {
  /** Recordings of this worker. */
  recordings: readonly number[];
  player: Player | null;
  /** null: all samples. */
  intervals: readonly Interval[] | null;
}

/** Which made-up match. */
export interface DemoMatch {
  players: number;
  startMs: number;
  /** Offset from UTC of the clock of its periods. */
  offsetMs: number;
}

/** What the squad view asks of a worker, and what it answers. */
export interface SquadRequests {
  /** When and where a recording was made, from its ends; null for a file that says nothing about it. */
  peek: { asked: { file: File }; answered: RecordingExtent | null };
  read: { asked: { id: number; file: File }; answered: ReadRecording };
  /** Keeps a recording that another worker has read: that of a player with two trackers. */
  adopt: { asked: { id: number; samples: SampleBatch }; answered: null };
  shift: { asked: { id: number; byMs: number }; answered: null };
  /** A file of the made-up match. */
  demoFile: { asked: DemoMatch & { number: number }; answered: File };
  forget: { asked: { id: number }; answered: null };
  memberFigures: {
    asked: { members: readonly AskedMember[]; options: SquadOptions };
    answered: MemberFigures[];
  };
}
