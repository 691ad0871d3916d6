import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  decode,
  decodeRows,
  inspect,
  repair,
} from "../../src/index.js";
import "../scalar-core.js";
import { asiInf, civilTime, ecgHr, joined, navPvt, ubxFrame } from "../frames.js";

/**
 * Reads a generated recording of `megabytes` in the given way, and prints the growth of the peak resident set
 * between the first fifth and the end, in MiB. The output is discarded.
 */

/** A quarter of a megabyte: 240 s at 10 Hz with a heart rate every second. Repetitions stay within one range. */
const block = joined(
  Array.from({ length: 2400 }, (_, i) => {
    const ms = 1_700_000_000_000 + i * 100;
    const reading = i % 10 === 0 ? [ecgHr({ timeMs: ms - 40, beatsPerMinute: 60 + (i % 90) })] : [];
    return joined([...reading, navPvt({ ...civilTime(ms), latitudeE7: 470_000_000 + i, longitudeE7: i })]);
  }).concat(ubxFrame(0x0135, new Uint8Array(200))),
);

const [how = "", megabytes = ""] = process.argv.slice(2);
const wantedBytes = Number(megabytes) * 1e6;

let sentBytes = 0;
let warmPeak = 0;
let peak = 0;

function measure(): void {
  const rss = process.memoryUsage.rss();
  if (sentBytes < wantedBytes / 5) warmPeak = Math.max(warmPeak, rss);
  peak = Math.max(peak, rss);
}

function* blocks(): Generator<Uint8Array> {
  yield asiInf();
  for (; sentBytes < wantedBytes; sentBytes += block.length) {
    measure();
    yield block;
  }
}

/** Pieces of 64 KiB in separate buffers, like data from a network. */
function stream(): ReadableStream<Uint8Array> {
  const pieces = (function* () {
    for (const bytes of blocks()) {
      for (let offset = 0; offset < bytes.length; offset += 0x10000)
        yield bytes.slice(offset, offset + 0x10000);
    }
  })();
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      const { done, value } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function drain(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

const ways: Record<string, () => Promise<unknown>> = {
  convert: () => drain(convert(blocks()).body),
  "convert-scalar": () => drain(convert(blocks(), { engine: "scalar" }).body),
  "convert-plain": () => drain(convert(blocks(), { engine: "plain" }).body),
  "convert-stream": () => drain(convert(stream()).body),
  "convert-layout": () => drain(convert(blocks(), { delimiter: ";" }).body),
  "csv-stream": () => drain(stream().pipeThrough(new AsiCsvStream())),
  "decoder-stream": () => drain(stream().pipeThrough(new AsiDecoderStream())),
  decode: () => drain(decode(blocks())),
  rows: () => drain(decodeRows(blocks())),
  inspect: () => inspect(blocks()),
  repair: () => drain(repair(blocks()).recording),
};

await ways[how]?.();
measure();
console.log(
  JSON.stringify({ sentBytes, warmMiB: warmPeak / 2 ** 20, grownMiB: (peak - warmPeak) / 2 ** 20 }),
);
