import type { RecordingInfo, Report } from "../types.js";

/** Writes a file with data of the waveform: samples or beats. There is at least one frame with a waveform. */
export interface WaveformWriter<B> {
  /** @returns pieces of the file, which belong to the caller; usually none */
  batch(batch: B): Iterable<Uint8Array>;
  /** Ends the file. */
  end(info: RecordingInfo, report: Report): Iterable<Uint8Array>;
}
