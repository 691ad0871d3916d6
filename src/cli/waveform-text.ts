import type { WaveformOptions } from "../decode-beats.js";
import { checkDecodeOptions } from "../decode-options.js";
import type { Decoding } from "../decoding.js";
import { AsiError } from "../errors.js";
import type { WrittenFile } from "../files/output-file.js";
import { pulledStream } from "../pulled-stream.js";
import type { Report, Source } from "../types.js";
import { count, notices } from "./account.js";
import { type Context, runBatch } from "./batch.js";
import { type ExitStatus, statusOf } from "./exit-status.js";
import { findInputs, nameOf, openInput } from "./inputs.js";
import { isStandardOutput, refuseAsOutput, writeOutput } from "./output.js";
import { UsageError } from "./usage-error.js";

/** Options of the commands that write what comes from the waveform. */
export interface WaveformFlags {
  output?: string;
  force?: boolean;
  format?: string;
  serial?: string;
}

const FORMATS = ["csv", "jsonl"] as const;
type LineFormat = (typeof FORMATS)[number];

/** What a command writes. */
interface Content<B extends { length: number }> {
  decode(source: Source, options: WaveformOptions): Decoding<B>;
  /** What a line is. */
  noun: string;
  /** The first line of a CSV. */
  header: string;
  lines: Record<LineFormat, (batch: B, index: number) => string>;
}

interface Written {
  /** null: it went to the standard output */
  file: WrittenFile | null;
  lines: number;
  report: Report;
}

/** Writes the lines to the file of `-o`, or to the standard output. */
export function writeWaveform<B extends { length: number }>(
  argument: string,
  flags: WaveformFlags,
  context: Context,
  content: Content<B>,
): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output = "-", force, serial } = flags;
  checkDecodeOptions({ serial });
  const format = formatOf(flags);
  const inputs = findInputs([argument]);
  if (inputs.length > 1) throw new UsageError("Give one recording; a loop of the shell reads several.");
  refuseAsOutput(output, inputs);
  return runBatch<Written>(context, {
    inputs,
    json: false,
    // the terminal shows the lines themselves
    hasProgress: !isStandardOutput(output) || process.stdout.isTTY !== true,
    async work(input, _, onProgress) {
      const decoding = content.decode(openInput(input, onProgress), { serial, signal });
      let lines = 0;
      const texts = textOf(decoding, content, format, (added) => {
        lines += added;
      });
      const stream = pulledStream(
        async () => (await texts.next()).value ?? null,
        async () => {
          await texts.return();
        },
      );
      const file = await writeOutput(stream, output, { force, signal });
      return { file, lines, report: await decoding.report };
    },
    async show({ file, lines, report }, input) {
      const name = nameOf(input);
      if (file !== null) console.message(`${name}: ${count(lines, content.noun)} -> ${file.path}`);
      for (const line of notices(console, name, report)) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ report }) => statusOf(report),
  });
}

function formatOf({ format, output = "" }: WaveformFlags): LineFormat {
  const extension = /\.([^./\\]+)$/.exec(output)?.[1]?.toLowerCase();
  const wanted = format?.toLowerCase() ?? extension ?? "csv";
  const known = FORMATS.find((name) => name === wanted);
  if (known !== undefined) return known;
  throw new UsageError(
    format === undefined
      ? `No format is known by the extension of ${output}; use .csv or .jsonl, or give --format.`
      : `The format ${format} is unknown here; use csv or jsonl.`,
  );
}

const LINES_PER_PIECE = 4096;

async function* textOf<B extends { length: number }>(
  decoding: Decoding<B>,
  { header, lines }: Content<B>,
  format: LineFormat,
  onLines: (count: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  const line = lines[format];
  let text = format === "csv" ? header : "";
  for await (const batch of decoding) {
    for (let from = 0; from < batch.length; from += LINES_PER_PIECE) {
      const to = Math.min(from + LINES_PER_PIECE, batch.length);
      for (let i = from; i < to; i++) text += line(batch, i);
      onLines(to - from);
      yield encoder.encode(text);
      text = "";
    }
  }
  const report = await decoding.report;
  if (report.frames.ecgRaw === 0) {
    throw new AsiError("NO_SAMPLES", "The recording has no ECG waveform.", { report });
  }
  if (text !== "") yield encoder.encode(text);
}

/** Milliseconds as seconds with three decimals. */
export function seconds(ms = 0): string {
  return (Math.round(ms) / 1000).toFixed(3);
}
