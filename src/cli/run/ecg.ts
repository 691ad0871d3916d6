import { decodeEcg } from "../../api/decode-ecg.js";
import type { EcgBatch } from "../../types.js";
import type { Context } from "../batch/batch.js";
import type { ExitStatus } from "../terminal/exit-status.js";
import { lineWriter, seconds } from "../terminal/line-writer.js";
import { type WaveformFlags, writeWaveform } from "./write-waveform.js";

/** Runs `asi ecg`, which writes the ECG waveform. */
export function ecg(input: string, flags: WaveformFlags, context: Context): Promise<ExitStatus> {
  return writeWaveform(input, flags, context, {
    decode: decodeEcg,
    noun: "sample",
    formats: {
      csv: () => lineWriter("timestamp,sample\n", csv),
      jsonl: () => lineWriter("", jsonl),
      parquet: async () => (await import("../../waveform-files/ecg-parquet.js")).ecgParquetWriter(),
      edf: async () => (await import("../../waveform-files/edf.js")).edfWriter(),
    },
  });
}

function csv({ timestampMs, sample }: EcgBatch, i: number): string {
  return `${seconds(timestampMs[i])},${sample[i]}\n`;
}

function jsonl({ timestampMs, sample }: EcgBatch, i: number): string {
  return `{"timestamp":"${isoTime(timestampMs[i] ?? 0)}","sample":${sample[i]}}\n`;
}

// Times of frames are unsigned 64-bit numbers, but Date ends in the year 275760.
function isoTime(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}
