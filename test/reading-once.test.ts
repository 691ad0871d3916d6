import { describe, expect, it } from "vitest";
import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  decode,
  decodeRows,
  inspect,
  repair,
  type Source,
} from "../src/index.js";
import { fixture } from "./fixture-files.js";
import { asiInf, joined, navPvt } from "./frames.js";
import { streamOf, Watched } from "./watched-source.js";
import { all, asiError, rejection, thrown, wholeBytes, wholeText } from "./whole.js";

const { bytes, csv, expectation } = fixture("damaged/torn-frames");

describe("a recording can be iterated only once", () => {
  it.for([
    ["decode", decode],
    ["decodeRows", decodeRows],
  ] as const)("a second iteration causes an error, instead of finding nothing: %s", async ([, verb]) => {
    const decoding = verb(bytes);
    expect(await all<unknown>(decoding)).not.toHaveLength(0);
    const refusal = { code: "ALREADY_READ", message: expect.stringMatching(/decode it again/) };
    expect(await asiError(all<unknown>(decoding))).toMatchObject(refusal);
    expect(thrown(() => decoding[Symbol.asyncIterator]())).toMatchObject(refusal);
  });

  it("even if the first loop was left early", async () => {
    for (const decoding of [decode(bytes), decodeRows(bytes)]) {
      for await (const _ of decoding) break;
      expect(await asiError(all<unknown>(decoding))).toMatchObject({ code: "ALREADY_READ" });
    }
  });
});

describe("a promise for a result that is known only after reading", () => {
  it.for<[string, (source: Source) => object, RegExp]>([
    ["convert", (source) => convert(source), /Read body to its end first/],
    ["repair", (source) => repair(source), /Read recording to its end first/],
    ["decode", (source) => decode(source), /Iterate over the decoding/],
    ["decodeRows", (source) => decodeRows(source), /Iterate over the decoding/],
    ["AsiCsvStream", () => new AsiCsvStream(), /Read readable to its end first/],
    ["AsiDecoderStream", () => new AsiDecoderStream(), /Read readable to its end first/],
  ])("is rejected if it is awaited earlier: %s", async ([, verb, whatToDo]) => {
    const source = new Watched([bytes]);
    const result = verb(source.iterable());
    const promises = Object.entries(result).filter(([, value]) => value instanceof Promise);
    expect(promises.length).toBeGreaterThan(1);
    for (const [name, promise] of promises) {
      const error = await asiError(promise);
      expect(error).toMatchObject({ code: "NOT_READ", message: expect.stringMatching(whatToDo) });
      expect(error.message).toContain(name);
      expect(await asiError(Promise.all([promise]))).toMatchObject({ code: "NOT_READ" });
    }
    expect(source.pulls).toBe(0);
  });

  it("is available after reading, even if it was awaited earlier", async () => {
    const conversion = convert(bytes);
    await asiError(conversion.fileName);
    expect(await wholeText(conversion.body)).toBe(csv);
    expect(await conversion.fileName).toBe(expectation.fileName);
    expect(await conversion.report).toEqual(expectation.report);
    expect((await conversion.info).serial).toBe(expectation.serial);
  });

  it("may be awaited during reading", async () => {
    const conversion = convert(bytes);
    const [text, fileName, report] = await Promise.all([
      wholeText(conversion.body),
      conversion.fileName,
      conversion.report,
    ]);
    expect({ text, fileName, report }).toEqual({
      text: csv,
      fileName: expectation.fileName,
      report: expectation.report,
    });
    const transform = new AsiDecoderStream();
    const batches = all(streamOf([bytes]).pipeThrough(transform));
    expect(await transform.report).toEqual(expectation.report);
    expect(await batches).not.toHaveLength(0);
  });

  it("is rejected with the error of the reading if a handler was added earlier", async () => {
    const caught: unknown[] = [];
    const conversion = convert(joined([asiInf(), navPvt(), asiInf({ serial: "OTHER" })]));
    const watching = conversion.fileName.catch((error) => caught.push(error));
    const error = await asiError(wholeBytes(conversion.body));
    await watching;
    expect(caught).toEqual([error]);
  });
});

describe("an abort is reported as such", () => {
  const reason = new Error("the user went away");

  it.for<[string, (source: Source, signal: AbortSignal) => Promise<unknown>]>([
    ["convert", (source, signal) => wholeBytes(convert(source, { signal }).body)],
    ["repair", (source, signal) => wholeBytes(repair(source, { signal }).recording)],
    ["decode", (source, signal) => all(decode(source, { signal }))],
    ["decodeRows", (source, signal) => all(decodeRows(source, { signal }))],
    ["inspect", (source, signal) => inspect(source, { signal })],
  ])("has the name AbortError, and the reason of the signal as its cause: %s", async ([, run]) => {
    const expected = { name: "AbortError", code: "ABORTED", cause: reason };
    expect(await rejection(run(bytes, AbortSignal.abort(reason)))).toMatchObject(expected);
    const control = new AbortController();
    const hanging = new ReadableStream<Uint8Array>({ pull: () => new Promise<void>(() => {}) });
    const running = rejection(run(hanging, control.signal));
    setImmediate(() => control.abort(reason));
    expect(await running).toMatchObject(expected);
  });

  it("is also recognized if it comes from AbortSignal.timeout", async () => {
    const signal = AbortSignal.timeout(1);
    const hanging = new ReadableStream<Uint8Array>({ pull: () => new Promise<void>(() => {}) });
    const error = await asiError(inspect(hanging, { signal }));
    expect(error).toMatchObject({ name: "AbortError", cause: { name: "TimeoutError" } });
  });
});

describe("a signal", () => {
  it("retains no memory of conversions that are not read or that have ended", async () => {
    const signal = new AbortController().signal;
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(signal, args);
    };
    for (let i = 0; i < 20; i++) {
      convert(bytes, { signal });
      repair(bytes, { signal });
      decode(bytes, { signal });
      decodeRows(bytes, { signal });
    }
    expect(listeners).toBe(0);
    await wholeBytes(convert(bytes, { signal }).body);
    await inspect(bytes, { signal });
    await convert(bytes, { signal }).body.cancel();
    for await (const _ of decode(bytes, { signal })) break;
    expect(listeners).toBeLessThanOrEqual(0);
  });
});
