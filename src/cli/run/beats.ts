import { statSync } from "node:fs";
import { decodeBeats } from "../../api/decode-beats.js";
import { AsiError } from "../../errors.js";
import { intervalLabels, prepareSamples, speedsAt } from "../../metrics/index.js";
import { SourceReader } from "../../reading/source-reader.js";
import type { SampleBatch } from "../../types.js";
import type { Context } from "../batch/batch.js";
import { findInputs, type Input, openInput } from "../batch/inputs.js";
import type { ExitStatus } from "../terminal/exit-status.js";
import { type LineWriter, lineWriter, seconds, wholeWriter } from "../terminal/line-writer.js";
import { type AnyBeats, trackBeats } from "./track-beats.js";
import { detectTrack, openRecordingOrTrack } from "./track-input.js";
import { type WaveformFlags, writeWaveform } from "./write-waveform.js";

export interface BeatsFlags extends WaveformFlags {
  withSpeed?: boolean;
  artefacts?: boolean;
}

/** An additional column. `text` returns its value for a beat, which is empty if there is none. */
interface Column {
  name: string;
  isText: boolean;
  text(batch: AnyBeats, i: number): string;
}

/** Runs `asi beats`, which prints the heart beats in the ECG waveform, or the RR intervals of a FIT file, one per line. */
export async function beats(argument: string, flags: BeatsFlags, context: Context): Promise<ExitStatus> {
  const inputs = findInputs([argument]);
  const [input] = inputs;
  const formats = {
    csv: () => writerOf("csv", input, flags, context),
    jsonl: () => writerOf("jsonl", input, flags, context),
  };
  // a pipe can be read only once
  if (
    inputs.length === 1 &&
    input?.kind === "file" &&
    statSync(input.path).isFile() &&
    (await isTrack(input))
  ) {
    return trackBeats(input, flags, context, formats);
  }
  return writeWaveform(argument, flags, context, { decode: decodeBeats, noun: "beat", formats });
}

async function isTrack(input: Input): Promise<boolean> {
  const detected = await detectTrack(openInput(input));
  await detected.whole.close();
  return detected.isTrack;
}

async function writerOf(
  format: "csv" | "jsonl",
  input: Input | undefined,
  flags: BeatsFlags,
  { signal }: Context,
): Promise<LineWriter<AnyBeats>> {
  const speed = flags.withSpeed === true ? await speedColumn(input, flags, signal) : null;
  const columnsOf = (all: readonly AnyBeats[]) => [
    ...(speed === null ? [] : [speed]),
    ...(flags.artefacts === true ? [artefactColumn(all)] : []),
  ];
  const names = columnsOf([]).map(({ name }) => `,${name}`);
  const header = format === "csv" ? `timestamp,rr,quality${names.join("")}\n` : "";
  const line = format === "csv" ? csv : jsonl;
  // the kind of an artefact depends on the intervals after it
  if (flags.artefacts === true) return wholeWriter(header, (all) => lineOf(line, columnsOf(all)));
  return lineWriter(header, lineOf(line, columnsOf([])));
}

const lineOf =
  (line: typeof csv, columns: readonly Column[]) =>
  (batch: AnyBeats, i: number): string =>
    `${line(batch, i, columns)}\n`;

/** Reads the speeds of the input. The beats are read later, in a second pass. */
async function speedColumn(
  input: Input | undefined,
  { serial }: WaveformFlags,
  signal: AbortSignal,
): Promise<Column> {
  if (input === undefined || input.kind === "standardInput") {
    throw new AsiError(
      "BAD_OPTION",
      "Standard input can be read only once, but --with-speed reads the input twice; name a file.",
    );
  }
  const { source } = await openRecordingOrTrack(input, { serial, mayLackRows: true }, () => {});
  const reader = new SourceReader(source, { output: "columns", serial, signal });
  const batches: SampleBatch[] = [];
  for (let batch = await reader.next(); batch !== null; batch = await reader.next()) batches.push(batch);
  const prepared = prepareSamples(batches);
  return {
    name: "speed",
    isText: false,
    text({ timestampMs }, i) {
      const [speed = Number.NaN] = speedsAt(prepared, timestampMs.subarray(i, i + 1));
      return Number.isNaN(speed) ? "" : speed.toFixed(3);
    },
  };
}

/** @param all all beats, in the order of the lines */
function artefactColumn(all: readonly AnyBeats[]): Column {
  const labels = intervalLabels(all).values();
  return {
    name: "artefact",
    isText: true,
    text: ({ rrMs }, i) => (rrMs[i] === 0 ? "" : (labels.next().value ?? "")),
  };
}

function csv(batch: AnyBeats, i: number, columns: readonly Column[]): string {
  const { timestampMs, rrMs, quality } = batch;
  const rr = rrMs[i] === 0 ? "" : seconds(rrMs[i]);
  const cells = [
    seconds(timestampMs[i]),
    rr,
    quality?.[i] ?? "",
    ...columns.map(({ text }) => text(batch, i)),
  ];
  return cells.join();
}

function jsonl(batch: AnyBeats, i: number, columns: readonly Column[]): string {
  const { timestampMs, rrMs, quality } = batch;
  const time = new Date(timestampMs[i] ?? 0).toISOString();
  const rr = rrMs[i] === 0 ? "null" : seconds(rrMs[i]);
  const members = columns.map(({ name, isText, text }) => {
    const value = text(batch, i);
    return `,"${name}":${value === "" ? "null" : isText ? `"${value}"` : value}`;
  });
  return `{"timestamp":"${time}","rr":${rr},"quality":${quality?.[i] ?? null}${members.join("")}}`;
}
