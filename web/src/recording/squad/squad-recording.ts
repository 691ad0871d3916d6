import type { Report, SampleBatch } from "asi-convert";
import type { RecordingExtent, SquadRecording } from "asi-convert/squad";

/** The content of a squad's file, from a worker. */
export interface ReadRecording extends SquadRecording, RecordingExtent {
  /** Columns in ascending order of time. The worker keeps a copy. */
  samples: SampleBatch;
  /** The report, which accounts for every byte. It is null for files other than recordings. */
  report: Report | null;
  /** Whether a compressed file is truncated. The recording then contains the data before its end. */
  isCut: boolean;
}

/** A recording of the open squad. */
export interface OpenRecording extends ReadRecording {
  /** The id of the recording in the page and the workers. */
  id: number;
  /** The chosen file. */
  file: File;
  /** The correction of its clock, ms. The times of its samples include the correction. */
  shiftMs: number;
}

/** Corrects the clock of a recording. @param shiftMs the difference to the times in the file */
export function shifted(recording: OpenRecording, shiftMs: number): OpenRecording {
  const { samples, startMs, endMs, damagedAfterMs } = recording;
  const byMs = shiftMs - recording.shiftMs;
  return {
    ...recording,
    samples: { ...samples, timestampMs: samples.timestampMs.map((ms) => ms + byMs) },
    startMs: startMs + byMs,
    endMs: endMs + byMs,
    damagedAfterMs: damagedAfterMs.map((ms) => ms + byMs),
    shiftMs,
  };
}
