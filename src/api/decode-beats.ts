import { optionNames, requireOptions } from "../arguments.js";
import { SourceReader } from "../reading/source-reader.js";
import type { BeatBatch, DecodeOptions, Source } from "../types.js";
import { type Decoding, decodingOf } from "./decoding.js";

/** The options of `decode` that affect reading, not the selection of rows. */
export type WaveformOptions = Pick<DecodeOptions, "serial" | "strict" | "signal" | "engine">;

/** Every option of `decodeBeats` and `decodeEcg`. */
export const WAVEFORM_OPTIONS = optionNames<WaveformOptions>({
  serial: true,
  strict: true,
  signal: true,
  engine: true,
});

/**
 * Finds the heart beats in the ECG waveform of a recording as it is read. The source is read only as fast as you iterate. A
 * recording without a waveform yields no batch. Waveforms are analysed if their sample rate is 100 to 1000 Hz. A beat is detected
 * from the signal up to 0.4 s after it (1.3 s if search-back finds it), and never from a later part.
 *
 * @throws AsiError like `decode`
 */
export function decodeBeats(source: Source, options: WaveformOptions = {}): Decoding<BeatBatch> {
  requireOptions(options, WAVEFORM_OPTIONS);
  const { serial, strict, signal, engine } = options;
  return decodingOf(new SourceReader(source, { serial, strict, signal, engine, output: "beats" }));
}
