import type { WaveformOptions } from "../../api/decode-beats.js";
import type { Decoding } from "../../api/decoding.js";
import { AsiError } from "../../errors.js";
import type { WrittenFile } from "../../files/output-file.js";
import { count } from "../../pictures/figure-text.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import { pulledStream } from "../../reading/pulled-stream.js";
import type { Report, Source } from "../../types.js";
import type { WaveformWriter } from "../../waveform-files/waveform-writer.js";
import { type Context, runBatch } from "../batch/batch.js";
import { findInputs, nameOf, openInput } from "../batch/inputs.js";
import { isStandardOutput, refuseAsOutput, refuseOnTerminal, writeOutput } from "../batch/output.js";
import { type ExitStatus, statusOf } from "../terminal/exit-status.js";
import { UsageError } from "../terminal/usage-error.js";
import { notices } from "./report-text.js";

/** Options of commands that write data of the waveform. */
export interface WaveformFlags {
  output?: string;
  force?: boolean;
  format?: string;
  serial?: string;
}

/** The output of a command. */
interface Content<B extends { length: number }> {
  decode(source: Source, options: WaveformOptions): Decoding<B>;
  /** The noun for the items in a batch. */
  noun: string;
  /** Formats by their names, which are also the extensions. The first one is the default. */
  formats: Readonly<Record<string, () => WaveformWriter<B> | Promise<WaveformWriter<B>>>>;
}

const BINARY: ReadonlySet<string> = new Set(["parquet", "edf"]);

interface Written {
  /** Null if the output is the standard output. */
  file: WrittenFile | null;
  length: number;
  report: Report;
}

/** Writes to the file of `-o` or to the standard output. */
export function writeWaveform<B extends { length: number }>(
  argument: string,
  flags: WaveformFlags,
  context: Context,
  content: Content<B>,
): Promise<ExitStatus> {
  const { console, signal } = context;
  const { output = "-", force, serial } = flags;
  checkDecodeOptions({ serial });
  const format = formatOf(flags, Object.keys(content.formats));
  refuseOnTerminal(output, format, !BINARY.has(format));
  const inputs = findInputs([argument]);
  if (inputs.length > 1) throw new UsageError("Name one recording; use a shell loop for several recordings.");
  refuseAsOutput(output, inputs);
  return runBatch<Written>(context, {
    inputs,
    json: false,
    // the lines themselves are printed on the terminal
    hasProgress: !isStandardOutput(output) || process.stdout.isTTY !== true,
    async work(input, _, onProgress) {
      const decoding = content.decode(openInput(input, onProgress), { serial, signal });
      let length = 0;
      const pieces = piecesOf(decoding, content, format, (added) => {
        length += added;
      });
      const stream = pulledStream(
        async () => (await pieces.next()).value ?? null,
        async () => {
          await pieces.return();
        },
      );
      const file = await writeOutput(stream, output, { force, signal });
      return { file, length, report: await decoding.report };
    },
    async show({ file, length, report }, input) {
      const name = nameOf(input);
      if (file !== null) console.message(`${name}: ${count(length, content.noun)} -> ${file.path}`);
      for (const line of notices(console, name, report)) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ report }) => statusOf(report),
  });
}

export function formatOf({ format, output = "" }: WaveformFlags, names: readonly string[]): string {
  const extension = /\.([^./\\]+)$/.exec(output)?.[1]?.toLowerCase();
  const wanted = format?.toLowerCase() ?? extension ?? names[0] ?? "";
  if (names.includes(wanted)) return wanted;
  throw new UsageError(
    format === undefined
      ? `The extension of ${output} is not that of a known format; use ${listed(names.map((name) => `.${name}`))}, or give --format.`
      : `The format ${format} is unknown here; use ${listed(names)}.`,
  );
}

/** Formats a list: `a, b or c`. */
function listed(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " or $1");
}

async function* piecesOf<B extends { length: number }>(
  decoding: Decoding<B>,
  { formats }: Content<B>,
  format: string,
  onLength: (length: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const writer = await formats[format]?.();
  if (writer === undefined) throw new RangeError(`there is no format ${format}`);
  for await (const batch of decoding) {
    onLength(batch.length);
    yield* writer.batch(batch);
  }
  const report = await decoding.report;
  if (report.frames.ecgRaw === 0) {
    throw new AsiError(
      "NO_SAMPLES",
      "The recording has no ECG waveform. Trackers record it only if they are set to do so.",
      { report },
    );
  }
  yield* writer.end(await decoding.info, report);
}
