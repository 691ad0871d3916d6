import { decodeEcg } from "../decode-ecg.js";
import type { EcgBatch } from "../types.js";
import type { Context } from "./batch.js";
import type { ExitStatus } from "./exit-status.js";
import { seconds, type WaveformFlags, writeWaveform } from "./waveform-text.js";

/** `asi ecg`: the ECG waveform, one sample a line. */
export function ecg(input: string, flags: WaveformFlags, context: Context): Promise<ExitStatus> {
  return writeWaveform(input, flags, context, {
    decode: decodeEcg,
    noun: "sample",
    header: "timestamp,sample\n",
    lines: { csv, jsonl },
  });
}

function csv({ timestampMs, sample }: EcgBatch, i: number): string {
  return `${seconds(timestampMs[i])},${sample[i]}\n`;
}

function jsonl({ timestampMs, sample }: EcgBatch, i: number): string {
  return `{"timestamp":"${isoTime(timestampMs[i] ?? 0)}","sample":${sample[i]}}\n`;
}

// Times of a frame are unsigned 64-bit numbers, and Date ends in the year 275760.
function isoTime(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}
