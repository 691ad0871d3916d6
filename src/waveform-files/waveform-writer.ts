import type { RecordingInfo, Report } from "../types.js";

/** Writes a file with data from the waveform: samples or beats. The recording has at least one waveform frame. */
export interface WaveformWriter<B> {
  /** Writes a batch. Returns pieces of the file, which belong to the caller; usually none. */
  batch(batch: B): Iterable<Uint8Array>;
  /** Ends the file. */
  end(info: RecordingInfo, report: Report): Iterable<Uint8Array>;
}
