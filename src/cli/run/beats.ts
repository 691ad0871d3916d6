import { decodeBeats } from "../../api/decode-beats.js";
import { AsiError } from "../../errors.js";
import { prepareSamples, speedsAt } from "../../metrics/index.js";
import { SourceReader } from "../../reading/source-reader.js";
import type { BeatBatch, SampleBatch } from "../../types.js";
import type { Context } from "../batch/batch.js";
import { findInputs, openInput } from "../batch/inputs.js";
import type { ExitStatus } from "../terminal/exit-status.js";
import { lineWriter, seconds } from "../terminal/line-writer.js";
import { type WaveformFlags, writeWaveform } from "./write-waveform.js";

export interface BeatsFlags extends WaveformFlags {
  withSpeed?: boolean;
}

/** The speed at a beat as text; empty if there is none. */
type SpeedText = (batch: BeatBatch, i: number) => string;

/** Runs `asi beats`, which prints the heart beats in the ECG waveform, one per line. */
export function beats(input: string, flags: BeatsFlags, context: Context): Promise<ExitStatus> {
  const speeds = () => (flags.withSpeed === true ? speedTexts(input, flags, context.signal) : null);
  return writeWaveform(input, flags, context, {
    decode: decodeBeats,
    noun: "beat",
    formats: {
      csv: async () => {
        const speed = await speeds();
        const header = `timestamp,rr,quality${speed === null ? "" : ",speed"}\n`;
        return lineWriter<BeatBatch>(header, (batch, i) => `${csv(batch, i, speed)}\n`);
      },
      jsonl: async () => {
        const speed = await speeds();
        return lineWriter<BeatBatch>("", (batch, i) => `${jsonl(batch, i, speed)}\n`);
      },
    },
  });
}

/** Reads the rows of the input, before its beats are read. */
async function speedTexts(
  argument: string,
  { serial }: WaveformFlags,
  signal: AbortSignal,
): Promise<SpeedText> {
  const [input] = findInputs([argument]);
  if (input === undefined || input.kind === "standardInput") {
    throw new AsiError(
      "BAD_OPTION",
      "Standard input can be read only once, but --with-speed reads the input twice; name a file.",
    );
  }
  const reader = new SourceReader(openInput(input), { output: "columns", serial, signal });
  const batches: SampleBatch[] = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) batches.push(batch);
  const prepared = prepareSamples(batches);
  return ({ timestampMs }, i) => {
    const [speed = Number.NaN] = speedsAt(prepared, timestampMs.subarray(i, i + 1));
    return Number.isNaN(speed) ? "" : speed.toFixed(3);
  };
}

function csv(batch: BeatBatch, i: number, speed: SpeedText | null): string {
  const { timestampMs, rrMs, quality } = batch;
  const beat = `${seconds(timestampMs[i])},${rrMs[i] === 0 ? "" : seconds(rrMs[i])},${quality[i]}`;
  return speed === null ? beat : `${beat},${speed(batch, i)}`;
}

function jsonl(batch: BeatBatch, i: number, speed: SpeedText | null): string {
  const { timestampMs, rrMs, quality } = batch;
  const time = new Date(timestampMs[i] ?? 0).toISOString();
  const rr = rrMs[i] === 0 ? "null" : seconds(rrMs[i]);
  const ofSpeed = speed === null ? "" : `,"speed":${speed(batch, i) || "null"}`;
  return `{"timestamp":"${time}","rr":${rr},"quality":${quality[i]}${ofSpeed}}`;
}
