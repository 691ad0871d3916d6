import { inspect as inspectText } from "node:util";
import { describe, expect, it } from "vitest";
import { type EncodableRow, encode, inspect, type RecordingHeader } from "../src/index.js";
import { encodeCsv } from "../src/node.js";
import { ascii } from "./frames.js";
import { asiError, thrown, wholeBytes } from "./whole.js";

describe("a row that cannot be recorded is refused with its number", () => {
  const good: EncodableRow = { timestamp: 1000, latitude: 47, longitude: 8, altitude: 400, speed: 1, hr: 70 };

  it.for<[string, Partial<EncodableRow>, RegExp]>([
    ["no time", { timestamp: Number.NaN }, /timestamp is NaN/],
    ["the year 0", { timestamp: Date.parse("0000-12-31T23:59:59Z"), hr: null }, /timestamp/],
    ["the year 10000", { timestamp: Date.UTC(9999, 11, 31, 23, 59, 59, 999) + 1 }, /timestamp/],
    ["beyond the pole", { latitude: 90.1 }, /latitude is 90.1.*from -90 to 90/],
    ["beyond the date line", { longitude: -180.1 }, /longitude is -180.1.*from -180 to 180/],
    ["no latitude", { latitude: undefined as unknown as number }, /latitude is undefined/],
    ["an altitude of more than 32 bits", { altitude: 2_147_484 }, /altitude/],
    ["infinite speed", { speed: Number.POSITIVE_INFINITY }, /speed is Infinity/],
    ["a heart rate of 0", { hr: 0 }, /hr is 0.*from 1 to 255/],
    ["a heart rate of 256", { hr: 256 }, /hr is 256/],
    ["a heart rate before 1970", { timestamp: -1 }, /before 1970.*use null/],
  ])("%s", async ([, fields, message]) => {
    const error = await asiError(wholeBytes(encode([good, { ...good, ...fields }], { serial: "X" })));
    expect(error.code).toBe("BAD_ROW");
    expect(error.message).toMatch(/^Row 2: /);
    expect(error.message).toMatch(message);
  });

  it.for([null, undefined, 5])("a value that is not a row: %s", async (row) => {
    const rows = [good, row as unknown as EncodableRow];
    const error = await asiError(wholeBytes(encode(rows, { serial: "X" })));
    expect(error).toMatchObject({
      code: "BAD_ROW",
      message: expect.stringMatching(/^Row 2: it is .*decodeRows/),
    });
  });
});

describe("a header that cannot be written is refused immediately", () => {
  it.for<[string, RecordingHeader]>([
    ["no serial number", { serial: "" }],
    ["a header without a serial number", {} as RecordingHeader],
    ["a serial number that is not text", { serial: 17 as unknown as string }],
    ["a device name that is not text", { serial: "A", deviceName: 5 as unknown as string }],
    ["a serial number that begins with a dot", { serial: ".A" }],
    ["a serial number of 17 characters", { serial: "A".repeat(17) }],
    ["a device name of 17 characters", { serial: "A", deviceName: "B".repeat(17) }],
    ["a device type of 13 characters", { serial: "A", deviceType: "B".repeat(13) }],
    ["a firmware version that is not ASCII", { serial: "A", firmwareVersion: "1.0β" }],
    ["a fractional period", { serial: "A", periodMs: 99.5 }],
    ["a negative period", { serial: "A", periodMs: -1 }],
    ["a period of more than 16 bits", { serial: "A", periodMs: 65_536 }],
  ])("%s", ([, written]) => {
    expect(thrown(() => encode([], written))).toMatchObject({ code: "BAD_OPTION" });
  });
});

describe("a CSV that cannot be read is refused with its line", () => {
  const head = "timestamp,latitude,longitude,altitude,speed,hr\n";
  const encoded = (text: string) => wholeBytes(encodeCsv(ascii(text), { serial: "X" }));

  it.for<[string, string, string, number, RegExp]>([
    ["nothing", "", "BAD_CSV", 1, /empty.*header line/],
    [
      "a missing column",
      "timestamp,latitude,speed\n1,2,3\n",
      "BAD_CSV",
      1,
      /lacks longitude.*timestamp, latitude, speed/,
    ],
    ["no header line", "1,2,3,4,5,6\n", "BAD_CSV", 1, /lacks/],
    [
      "a word instead of a number",
      `${head}1.0,47,8,,1,\n2.0,north,8,,1,\n`,
      "BAD_CSV",
      3,
      /Line 3: latitude is "north"/,
    ],
    ["an empty speed", `${head}1.0,47,8,,,\n`, "BAD_CSV", 2, /Line 2: speed is ""/],
    ["a number in a different notation", `${head}1e3,47,8,,1,\n`, "BAD_CSV", 2, /timestamp is "1e3"/],
    ["empty lines before it", `\n${head}\n\n1.0,x,8,,1,\n`, "BAD_CSV", 5, /Line 5/],
    [
      "a field of two lines before it",
      `note,${head}"a\nb",1.0,47,8,,1,\nc,1.1,x,8,,1,\n`,
      "BAD_CSV",
      4,
      /Line 4: latitude/,
    ],
    [
      "a value that recordings cannot contain",
      `${head}1.0,47,8,,1,\n\n1.1,97,8,,1,\n`,
      "BAD_ROW",
      4,
      /Line 4: latitude is 97/,
    ],
  ])("%s", async ([, text, code, line, message]) => {
    const error = await asiError(encoded(text));
    expect(error).toMatchObject({ code, line });
    expect(error.message).toMatch(message);
  });

  it("an open quote", async () => {
    const error = await asiError(encoded(`${head}1.0,"47,8,,1,\n`));
    expect(error.code).toBe("BAD_CSV");
    expect(error).toMatchObject({ line: 2 });
    expect(error.message).toMatch(/cannot be read at or after line 2/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it.for<[string, string]>([
    ["an unclosed quote before a long text", `${head}1.0,"47,8,,1,\n${"1.0,47,8,,1,\n".repeat(1000)}`],
    ["an unpaired quote before a long text", `${head}1.0,"4"7,8,,1,\n${"1.0,47,8,,1,\n".repeat(1000)}`],
    ["bytes that are not a CSV", "\u001b[31m\u0000".repeat(1000)],
    ["a field without end", `${head}${"x".repeat(10_000)},47,8,,1,\n`],
  ])("has a short and printable message: %s", async ([, text]) => {
    const { code, message, line } = await asiError(encoded(text));
    expect(code).toBe("BAD_CSV");
    expect(line).toBeGreaterThan(0);
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it("has the correct line after fields with line breaks", async () => {
    const text = `timestamp,latitude,longitude,speed,note\n1,47,8,1,"\na\n"\n2,47,x,1,\n`;
    expect(await asiError(encoded(text))).toMatchObject({ code: "BAD_CSV", line: 5 });
  });

  it("is refused immediately if the delimiter is invalid", () => {
    expect(thrown(() => encodeCsv(ascii(head), { serial: "X" }, { delimiter: ";;" }))).toMatchObject({
      code: "BAD_OPTION",
    });
  });
});

describe("a row of megabytes", () => {
  const names = "timestamp,latitude,longitude,speed\n1.0,0,0,0\n";

  it.for<[string, string]>([
    ["one long field", names + "x".repeat(8e6)],
    ["many fields", names + "1,".repeat(4e6)],
    ["a quote that is not closed, on one line", `${names}"${"x".repeat(8e6)}`],
    ["a quote that is not closed, on many lines", `${names}"${"x\n".repeat(4e6)}`],
    ["blanks", names + " ".repeat(8e6)],
    ["a header line without end", "timestamp,".repeat(800_000)],
  ])("is refused quickly, and not quoted: %s", async ([, csv]) => {
    const bytes = new TextEncoder().encode(csv);
    for (const source of [bytes, new Blob([bytes]).stream()]) {
      const startedAt = performance.now();
      const error = await asiError(wholeBytes(encodeCsv(source, { serial: "X" })));
      // fails if it takes minutes
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(error).toMatchObject({ code: "BAD_CSV", message: expect.stringMatching(/quote is not closed/) });
      expect(inspectText(error, { depth: 9 }).length).toBeLessThan(3_000);
    }
  });

  it("has at most 262,144 characters", async () => {
    const note = "n".repeat(200_000);
    const csv = `timestamp,latitude,longitude,speed,note\n1.0,0,0,0,"${note}"\n2.0,0,0,0,${note}\n`;
    const { report } = await inspect(encodeCsv(new TextEncoder().encode(csv), { serial: "X" }));
    expect(report.rows.total).toBe(2);
  });
});
