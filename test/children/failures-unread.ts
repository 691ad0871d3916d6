import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  decode,
  decodeRows,
  encode,
  inspect,
  repair,
} from "../../src/index.js";
import { encodeCsv } from "../../src/node.js";
import { ascii, asiInf, joined, navPvt } from "../frames.js";

/**
 * Makes every way of reading fail in every possible way, catches the error where it is reported, and awaits no other promise.
 * An unhandled rejection ends the process.
 */

const twoDevices = joined([asiInf(), navPvt(), asiInf({ serial: "OTHER" })]);
const noRows = asiInf();
const broken = async function* () {
  yield asiInf();
  throw new Error("the source failed");
};
const rows = function* () {
  yield { timestamp: 0, latitude: 91, longitude: 0, speed: 0 };
};

async function drain(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

function piped(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes.slice()]).stream();
}

const failing: (() => Promise<unknown>)[] = [
  ...[() => twoDevices, () => noRows, () => ascii("text"), broken].flatMap((source) => [
    () => drain(convert(source()).body),
    () => drain(convert(source(), { columns: ["hr"] }).body),
    () => drain(convert(source(), { signal: AbortSignal.abort() }).body),
    () => drain(decode(source(), { from: 5, signal: AbortSignal.abort() })),
    () => drain(repair(source(), { signal: AbortSignal.abort() }).recording),
    () => inspect(source(), { signal: AbortSignal.abort() }),
  ]),
  ...[() => twoDevices, () => ascii("text"), broken].flatMap((source) => [
    () => drain(decode(source())),
    () => drain(decodeRows(source())),
    () => drain(repair(source()).recording),
    () => inspect(source()),
  ]),
  () => drain(piped(twoDevices).pipeThrough(new AsiCsvStream())),
  () => drain(piped(noRows).pipeThrough(new AsiCsvStream())),
  () => drain(piped(twoDevices).pipeThrough(new AsiDecoderStream())),
  () => drain(encode(rows(), { serial: "X" })),
  () => drain(encodeCsv(ascii("nonsense"), { serial: "X" })),
  () => drain(encodeCsv(broken(), { serial: "X" })),
];

let failures = 0;
for (const fail of failing) {
  try {
    await fail();
  } catch {
    failures += 1;
  }
}

// abandoned in the middle, aborted between two reads, and never started
const whole = joined([asiInf(), navPvt()]);
for await (const _ of decode(whole)) break;
for await (const _ of convert(whole).body) break;
const control = new AbortController();
const idle = convert(whole, { signal: control.signal });
await idle.body.getReader().read();
control.abort();
convert(whole);
await new AsiCsvStream().readable.cancel();
await new AsiCsvStream().writable.abort();
await new AsiDecoderStream().readable.cancel();
await new AsiDecoderStream().writable.abort();

for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
console.log(`${failures} of ${failing.length} failed, quietly`);
