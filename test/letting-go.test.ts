import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  decode,
  decodeRows,
  encode,
  inspect,
  repair,
  type Source,
} from "../src/index.js";
import { encodeCsv } from "../src/node.js";
import { fixture } from "./fixture-files.js";
import { ascii, asiInf, joined, navPvt } from "./frames.js";
import { chunks, settle, Watched } from "./watched-source.js";
import { all, asiError, wholeBytes } from "./whole.js";

const golden = fixture("valid/hour-without-hr");

describe("the source is released", () => {
  it.for<[string, (source: Watched) => Promise<unknown>]>([
    ["when the CSV is cancelled", (source) => cancelAfterOne(convert(source.iterable()).body)],
    ["when the CSV of a stream is cancelled", (source) => cancelAfterOne(convert(source.stream()).body)],
    [
      "when the CSV of a Node.js Readable is cancelled",
      (source) => cancelAfterOne(convert(source.readable()).body),
    ],
    [
      "when the repaired recording is cancelled",
      (source) => cancelAfterOne(repair(source.iterable()).recording),
    ],
    ["when a loop over batches ends early", (source) => leaveAfterOne(decode(source.iterable()))],
    ["when a loop over rows ends early", (source) => leaveAfterOne(decodeRows(source.iterable()))],
    ["when a loop over the CSV ends early", (source) => leaveAfterOne(convert(source.iterable()).body)],
    [
      "when a piped CSV is cancelled",
      (source) => cancelAfterOne(source.stream().pipeThrough(new AsiCsvStream())),
    ],
    [
      "when piped batches are cancelled",
      (source) => cancelAfterOne(source.stream().pipeThrough(new AsiDecoderStream())),
    ],
    ["when it is read completely", (source) => wholeBytes(convert(source.iterable()).body)],
    [
      "when the input turns out not to be a recording",
      (source) =>
        asiError(inspect(mapped(source.iterable(), () => ascii("x").fill(0xb5)))).then(() => source),
    ],
  ])("%s", async ([, act]) => {
    const source = new Watched(chunks);
    await act(source);
    await settle();
    expect(source.isClosed).toBe(true);
  });

  it("at the first error, without further reads", async () => {
    const source = new Watched([joined([asiInf(), asiInf({ serial: "OTHER" })]), ...chunks]);
    expect(await asiError(wholeBytes(convert(source.iterable()).body))).toMatchObject({
      code: "MIXED_DEVICES",
    });
    expect(source).toMatchObject({ isClosed: true, pulls: 1 });
  });

  it("even if closing fails, which does not hide the error", async () => {
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: navPvt() }),
        return: async () => {
          throw new Error("does not close");
        },
      }),
    };
    expect(await asiError(inspect(source))).toMatchObject({ code: "NOT_A_RECORDING" });
  });

  it("when the input CSV or a row is refused, or the recording is cancelled", async () => {
    const csv = ascii("timestamp,latitude,longitude,speed\n1.0,97,0,0\n");
    const bad = new Watched([csv]);
    expect(await asiError(wholeBytes(encodeCsv(bad.iterable(), { serial: "X" })))).toMatchObject({
      code: "BAD_ROW",
    });
    expect(bad.isClosed).toBe(true);

    const line = ascii("1.0,47,8,0\n".repeat(3000));
    const good = new Watched([
      ascii("timestamp,latitude,longitude,speed\n"),
      ...Array<Uint8Array>(200).fill(line),
    ]);
    await cancelAfterOne(encodeCsv(good.iterable(), { serial: "X" }), 2);
    await settle();
    expect(good.isClosed).toBe(true);
    expect(good.pulls).toBeLessThan(100);

    let isClosed = false;
    const rows = function* () {
      try {
        for (;;) yield { timestamp: 0, latitude: 91, longitude: 0, speed: 0 };
      } finally {
        isClosed = true;
      }
    };
    expect(await asiError(wholeBytes(encode(rows(), { serial: "X" })))).toMatchObject({ code: "BAD_ROW" });
    expect(isClosed).toBe(true);
  });
});

async function cancelAfterOne(stream: ReadableStream<unknown>, reads = 1): Promise<void> {
  const reader = stream.getReader();
  for (let i = 0; i < reads; i++) await reader.read();
  await reader.cancel("enough");
}

async function leaveAfterOne(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values) break;
}

async function* mapped(source: AsyncIterable<Uint8Array>, change: (chunk: Uint8Array) => Uint8Array) {
  for await (const chunk of source) yield change(chunk);
}

describe("an AbortSignal stops the work with ABORTED and releases the source", () => {
  const reason = new Error("the user went away");

  it("before it begins", async () => {
    const signal = AbortSignal.abort(reason);
    for (const run of [
      (source: Source) => wholeBytes(convert(source, { signal }).body),
      (source: Source) => wholeBytes(convert(source, { signal, columns: ["hr"] }).body),
      (source: Source) => wholeBytes(repair(source, { signal }).recording),
      (source: Source) => all(decode(source, { signal })),
      (source: Source) => all(decodeRows(source, { signal })),
      (source: Source) => inspect(source, { signal }),
    ]) {
      let isCancelled = false;
      const source = new ReadableStream<Uint8Array>({
        cancel() {
          isCancelled = true;
        },
      });
      const error = await asiError(run(source));
      expect(error.code).toBe("ABORTED");
      expect(error.cause).toBe(reason);
      expect(isCancelled).toBe(true);
    }
  });

  it("in the middle of the work", async () => {
    const source = new Watched(chunks);
    const control = new AbortController();
    let batches = 0;
    const run = async () => {
      for await (const _ of decode(source.iterable(), { signal: control.signal })) {
        batches += 1;
        if (batches === 5) control.abort(reason);
      }
    };
    expect(await asiError(run())).toMatchObject({ code: "ABORTED", cause: reason });
    expect(batches).toBe(5);
    expect(source).toMatchObject({ isClosed: true, pulls: 5 });
  });

  it("immediately, while nothing is read", async () => {
    const source = new Watched(chunks);
    const control = new AbortController();
    const { body: csv, report } = convert(source.iterable(), { signal: control.signal });
    const reader = csv.getReader();
    await reader.read();
    control.abort(reason);
    expect(await asiError(report)).toMatchObject({ code: "ABORTED" });
    expect(source.isClosed).toBe(true);
    expect(await asiError(reader.read())).toMatchObject({ code: "ABORTED", cause: reason });
  });

  it.for<[string, (onClose: () => void) => Source]>([
    [
      "a stream",
      (onClose) =>
        new ReadableStream<Uint8Array>({
          pull: () => new Promise<void>(() => {}),
          cancel: onClose,
        }),
    ],
    [
      "a Node.js Readable",
      (onClose) =>
        new Readable({
          read() {},
          destroy(error, done) {
            onClose();
            done(error);
          },
        }),
    ],
    [
      "an iterator",
      (onClose) => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<IteratorResult<Uint8Array>>(() => {}),
          return: () => {
            onClose();
            return Promise.resolve({ done: true as const, value: undefined });
          },
        }),
      }),
    ],
  ])("while the source hangs: %s", async ([, sourceOf]) => {
    for (const run of [
      (source: Source, signal: AbortSignal) => wholeBytes(convert(source, { signal }).body),
      (source: Source, signal: AbortSignal) => inspect(source, { signal }),
      (source: Source, signal: AbortSignal) => all(decode(source, { signal })),
    ]) {
      let isClosed = false;
      const control = new AbortController();
      const source = sourceOf(() => {
        isClosed = true;
      });
      const running = asiError(run(source, control.signal));
      await settle();
      control.abort(reason);
      expect(await running).toMatchObject({ code: "ABORTED", cause: reason });
      await settle();
      expect(isClosed).toBe(true);
    }
  });

  it("while a generator hangs and cannot be closed", async () => {
    const control = new AbortController();
    const hanging = (async function* () {
      yield asiInf();
      await new Promise(() => {});
    })();
    const running = asiError(inspect(hanging, { signal: control.signal }));
    await settle();
    control.abort(reason);
    expect(await running).toMatchObject({ code: "ABORTED" });
  });

  it("has no effect after the end of the input", async () => {
    const control = new AbortController();
    const { body: csv, report } = convert(golden.bytes, { signal: control.signal });
    await wholeBytes(csv);
    control.abort();
    expect(await report).toEqual(golden.expectation.report);
  });

  it("stops a piped CSV in the same way", async () => {
    const control = new AbortController();
    const source = new Watched(chunks);
    const csv = source.stream().pipeThrough(new AsiCsvStream({ signal: control.signal }));
    const reader = csv.getReader();
    await reader.read();
    control.abort(reason);
    expect(await asiError(reader.read())).toMatchObject({ code: "ABORTED" });
    await settle();
    expect(source.isClosed).toBe(true);
  });
});

describe("cancelling a CSV stops it, even while the source hangs", () => {
  it("rejects its promises with the cancellation", async () => {
    let isClosed = false;
    const source = new ReadableStream<Uint8Array>({
      pull: () => new Promise<void>(() => {}),
      cancel() {
        isClosed = true;
      },
    });
    const { body: csv, report } = convert(source);
    const reader = csv.getReader();
    const reading = reader.read();
    await settle();
    await reader.cancel("enough");
    expect(await reading).toEqual({ done: true, value: undefined });
    expect(isClosed).toBe(true);
    expect(await asiError(report)).toMatchObject({ code: "ABORTED", cause: "enough" });
  });

  it("also happens when a loop is left before its first row", async () => {
    const iterator = decode(new ReadableStream<Uint8Array>())[Symbol.asyncIterator]();
    const first = iterator.next();
    await iterator.return?.();
    expect(await first).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});
