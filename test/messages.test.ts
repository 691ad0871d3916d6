import { describe, expect, it } from "vitest";
import { samplesToJson } from "../src/api/json.js";
import {
  type Column,
  type ConvertOptions,
  convert,
  csvFileName,
  encode,
  findRanges,
  type RecordingHeader,
  type SampleBatch,
} from "../src/index.js";
import { readFileChunks } from "../src/node.js";
import { asiError, thrown } from "./whole.js";

/** The text of a value in a message. The value replaces an instant, which can be any value in JavaScript. */
function shown(value: unknown): string {
  const { message } = thrown(() => csvFileName("TEST-1", value as number, 0)) as Error;
  return (
    /^The instant ([\s\S]*) is invalid; it must be a number of ms since 1970\.$/.exec(message)?.[1] ?? message
  );
}

describe("a message shows the given value, shortened to one line", () => {
  it.for<[unknown, string]>([
    ["text", '"text"'],
    [null, "null"],
    [undefined, "undefined"],
    [true, "true"],
    [Number.NaN, "NaN"],
    [5n, "5n"],
    [Symbol("s"), "Symbol(s)"],
    [[1, 2], "an array"],
    [{ a: 1 }, "an object"],
    [() => 1, "a function"],
  ])("%o", ([value, expected]) => {
    expect(shown(value)).toBe(expected);
  });

  it("the beginning of a long value", () => {
    expect(shown("a".repeat(80))).toBe(`"${"a".repeat(80)}"`);
    expect(shown("a".repeat(81))).toBe(`"${"a".repeat(80)}..."`);
    expect(shown(BigInt("1".repeat(80)))).toBe(`${"1".repeat(80)}n`);
    expect(shown(BigInt("1".repeat(81)))).toBe(`${"1".repeat(80)}...n`);
    expect(shown(Symbol("s".repeat(99)))).toBe(`Symbol(${"s".repeat(73)}...`);
  });

  it("control characters by their code, or as a replacement character", () => {
    expect(shown('\u001b[31m\n"')).toBe('"\\u001b[31m\\n\\""');
    expect(shown("\u007f\u0085\u202e\u2028\u2029")).toBe('"\\u007f\\u0085\\u202e\\u2028\\u2029"');
    expect(shown(Symbol("\u001b[31m"))).toBe("Symbol(\ufffd[31m)");
  });
});

const recording = new Uint8Array();
const convertWith = (options: unknown) => () => convert(recording, options as ConvertOptions);
const encodeWith = (header: unknown) => () => encode([], header as RecordingHeader);
const columns: SampleBatch = {
  length: 0,
  timestampMs: new Float64Array(0),
  latitudeE7: new Int32Array(0),
  longitudeE7: new Int32Array(0),
  altitudeMm: new Int32Array(0),
  speedMmPerS: new Int32Array(0),
  hr: new Uint8Array(0),
  fixType: new Uint8Array(0),
};

describe("an error names the argument, its value, and the expected value", () => {
  it.for<[string, string, () => unknown]>([
    ["BAD_OPTION", "options must be an object, not a string.", convertWith("strict")],
    ["BAD_OPTION", "options must be an object, not null.", convertWith(null)],
    ["BAD_OPTION", "options must be an object, not a function.", convertWith(() => 1)],
    ["BAD_OPTION", "header must be an object, not a number.", encodeWith(5)],
    ["BAD_OPTION", "strict is 1; it must be true or false.", convertWith({ strict: 1 })],
    ["BAD_OPTION", 'header is "no"; it must be true or false.', convertWith({ header: "no" })],
    [
      "BAD_OPTION",
      "columns must be an array of names: timestamp, latitude, longitude, altitude, speed, hr.",
      convertWith({ columns: "hr" }),
    ],
    [
      "BAD_OPTION",
      'columns must name each column once: timestamp, latitude, longitude, altitude, speed, hr; there is no "pulse".',
      convertWith({ columns: ["hr", "pulse"] }),
    ],
    [
      "BAD_OPTION",
      "columns must name each column once: timestamp, latitude, longitude, altitude, speed, hr.",
      convertWith({ columns: ["hr", "hr"] satisfies Column[] }),
    ],
    [
      "BAD_OPTION",
      'delimiter is "e"; it must be one character that is not a digit, a letter from a to z, a dot, a minus sign, a quote or a line end.',
      convertWith({ delimiter: "e" }),
    ],
    ["BAD_OPTION", 'lineEnd must be "\\n" or "\\r\\n".', convertWith({ lineEnd: "\r" })],
    [
      "BAD_OPTION",
      "periodMs is 65536; it must be a whole number from 0 to 65535.",
      encodeWith({ serial: "X", periodMs: 65_536 }),
    ],
    [
      "BAD_OPTION",
      'deviceName is "é"; it must be printable ASCII of at most 16 characters.',
      encodeWith({ serial: "X", deviceName: "é" }),
    ],
    [
      "BAD_OPTION",
      'The serial number is missing; use letters, digits, ".", "_" and "-", not beginning with "-" or ".", and no device name on Windows, such as CON or NUL.',
      encodeWith({}),
    ],
    [
      "BAD_ARGUMENT",
      "The instants are 5; pass an array or another iterable of ms since 1970.",
      () => findRanges(5 as never),
    ],
    [
      "BAD_ARGUMENT",
      "The instants are null; pass an array or another iterable of ms since 1970.",
      () => findRanges(null as never),
    ],
    [
      "BAD_ARGUMENT",
      'The instants are "text"; pass an array or another iterable of ms since 1970.',
      () => findRanges("text" as never),
    ],
    [
      "BAD_ARGUMENT",
      "The instants are an object; pass an array or another iterable of ms since 1970.",
      () => findRanges({ [Symbol.iterator]: () => null } as never),
    ],
    [
      "BAD_ARGUMENT",
      "The instants are an object; pass an array or another iterable of ms since 1970.",
      () => findRanges({ [Symbol.iterator]: () => "text" } as never),
    ],
    [
      "BAD_SOURCE",
      "The iterator returned null instead of { done, value }.",
      () => findRanges({ [Symbol.iterator]: () => ({ next: () => null }) } as never),
    ],
    ["BAD_OPTION", "before is 5; it must be a string.", () => samplesToJson(columns, { before: 5 } as never)],
    [
      "BAD_OPTION",
      "after is null; it must be a string.",
      () => samplesToJson(columns, { after: null } as never),
    ],
    [
      "BAD_ARGUMENT",
      "The instant Infinity is invalid; it must be a number of ms since 1970.",
      () => findRanges([1, Number.POSITIVE_INFINITY]),
    ],
    [
      "BAD_SOURCE",
      "The iterator returned 1 instead of { done, value }.",
      () => findRanges({ [Symbol.iterator]: () => ({ next: () => 1 }) } as never),
    ],
    [
      "BAD_ARGUMENT",
      'The samples are "x"; pass columns as decode returns them.',
      () => samplesToJson("x" as never),
    ],
    [
      "BAD_ARGUMENT",
      "The samples are null; pass columns as decode returns them.",
      () => samplesToJson(null as never),
    ],
    [
      "BAD_ARGUMENT",
      "length is -1; it must be the number of samples.",
      () => samplesToJson({ ...columns, length: -1 }),
    ],
    [
      "BAD_ARGUMENT",
      "hr is an array; it must be a Uint8Array.",
      () => samplesToJson({ ...columns, hr: [] as never }),
    ],
    [
      "BAD_ARGUMENT",
      "timestampMs has 0 entries, but length is 1.",
      () => samplesToJson({ ...columns, length: 1 }),
    ],
  ])("%s: %s", ([code, message, attempt]) => {
    expect(thrown(attempt)).toMatchObject({ code, message });
  });

  it("is the same in functions for files", async () => {
    const first = (path: unknown, options?: unknown) =>
      asiError(readFileChunks(path as string, options as object).next());
    for (const path of ["", "a\0b", 5]) {
      expect(await first(path)).toMatchObject({
        code: "BAD_ARGUMENT",
        message: expect.stringMatching(
          / is (""|"a\\u0000b"|5); it must be a path: a string that is not empty/,
        ),
      });
    }
    expect(await first("x", { onProgress: 1 })).toMatchObject({
      code: "BAD_OPTION",
      message: "onProgress is 1; it must be a function.",
    });
  });
});
