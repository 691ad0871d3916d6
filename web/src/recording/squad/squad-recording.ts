import type { Report, SampleBatch } from "asi-convert";
import type { RecordingExtent, SquadRecording } from "asi-convert/squad";

/** What a file of a squad holds, as a worker reads it. */
export interface ReadRecording extends SquadRecording, RecordingExtent {
  /** Columns in the order of time. The worker has them, too. */
  samples: SampleBatch;
  /** Accounts for every byte; null for files other than recordings. */
  report: Report | null;
  /** Whether a compressed file ends early: what it had until then is here. */
  isCut: boolean;
  /** The last rows before damaged places, ms since 1970 UTC; empty for a sound recording. */
  damagedAfterMs: readonly number[];
}

/** A recording of the squad that is open. */
export interface OpenRecording extends ReadRecording {
  /** Identifies it in page and workers. */
  id: number;
  /** As it was chosen. */
  file: File;
  /** The correction of its clock, ms; the times of its samples include it. */
  shiftMs: number;
}
