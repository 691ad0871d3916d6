import { decodeBeats } from "../../api/decode-beats.js";
import type { BeatBatch } from "../../types.js";
import type { Context } from "../batch/batch.js";
import type { ExitStatus } from "../terminal/exit-status.js";
import { lineWriter, seconds } from "../terminal/line-writer.js";
import { type WaveformFlags, writeWaveform } from "./write-waveform.js";

/** `asi beats`: the heart beats in the ECG waveform, one per line. */
export function beats(input: string, flags: WaveformFlags, context: Context): Promise<ExitStatus> {
  return writeWaveform(input, flags, context, {
    decode: decodeBeats,
    noun: "beat",
    formats: {
      csv: () => lineWriter("timestamp,rr,quality\n", csv),
      jsonl: () => lineWriter("", jsonl),
    },
  });
}

function csv({ timestampMs, rrMs, quality }: BeatBatch, i: number): string {
  return `${seconds(timestampMs[i])},${rrMs[i] === 0 ? "" : seconds(rrMs[i])},${quality[i]}\n`;
}

function jsonl({ timestampMs, rrMs, quality }: BeatBatch, i: number): string {
  const time = new Date(timestampMs[i] ?? 0).toISOString();
  const rr = rrMs[i] === 0 ? "null" : seconds(rrMs[i]);
  return `{"timestamp":"${time}","rr":${rr},"quality":${quality[i]}}\n`;
}
