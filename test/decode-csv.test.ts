/** A CSV results in the same rows in encodeCsv, which the command uses, and in decodeCsv, which the viewer uses. */
import { describe, expect, it } from "vitest";
import { decodeCsv } from "../src/api/csv.js";
import { type ConvertOptions, convertSync, decode, decodeSync, rowsOf } from "../src/index.js";
import { encodeCsv } from "../src/node.js";
import type { SampleBatch } from "../src/types.js";
import { fixture } from "./fixture-files.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { all, asiError, wholeColumns } from "./whole.js";

const utf8 = (text: string) => new TextEncoder().encode(text);

type Read = (text: string, options?: { timeZone?: string; delimiter?: string }) => AsyncIterable<SampleBatch>;

const readers: [string, Read][] = [
  ["encodeCsv", (text, options) => decode(encodeCsv(utf8(text), { serial: "X" }, options))],
  ["decodeCsv", (text, options) => decodeCsv(utf8(text), options)],
  [
    "decodeCsv, in bytes",
    (text, options) =>
      decodeCsv(
        Array.from(utf8(text), (byte) => Uint8Array.of(byte)),
        options,
      ),
  ],
];

describe.for(readers)("%s", ([, read]) => {
  const columnsOf = async (text: string, options = {}) => wholeColumns(await all(read(text, options)));
  const written = (recording: Uint8Array, options: ConvertOptions) =>
    new TextDecoder().decode(convertSync(recording, options).csv);
  const edges = fixture("valid/edges").bytes;

  it.for<ConvertOptions>([
    {},
    { time: "iso" },
    { time: "local", timeZone: "America/St_Johns" },
    { time: "excel" },
    { time: "excel", timeZone: "Europe/Zurich", decimalMark: ",", lineEnd: "\r\n" },
    { delimiter: "\t", columns: ["speed", "hr", "timestamp", "longitude", "latitude", "altitude"] },
  ])("reads the rows that convert writes with %j", async (options) => {
    const { samples } = decodeSync(edges);
    const { timeZone = "UTC" } = options;
    const batches = await all(read(written(edges, options), { timeZone }));
    expect(batches.flatMap((batch) => [...rowsOf(batch)])).toEqual([...rowsOf(samples)]);
  });

  it("reads the hour that occurs twice, at the end of summer time", async () => {
    const minutes = Array.from({ length: 240 }, (_, minute) => Date.UTC(2025, 9, 25, 23, minute));
    const recording = joined([asiInf(), ...minutes.map((ms) => navPvt(civilTime(ms)))]);
    const timeZone = "Europe/Zurich";
    const { timestampMs } = await columnsOf(written(recording, { time: "excel", timeZone }), { timeZone });
    expect([...timestampMs]).toEqual(minutes);
  });

  it("accepts column names in capitals, quotes, and other line ends", async () => {
    const text = `Note;"Speed";Longitude;Latitude;Timestamp\r\n"a;""b""\nc";1,5;8,5;47,1;10,25\r\n\r\nd;2;8;47;11\r\n`;
    const { timestampMs, speedMmPerS, fixType } = await columnsOf(text);
    expect([[...timestampMs], [...speedMmPerS], [...fixType]]).toEqual([
      [10_250, 11_000],
      [1500, 2000],
      [2, 2],
    ]);
  });

  it("accepts empty fields at the end of a row, as spreadsheets write them", async () => {
    const { speedMmPerS } = await columnsOf("timestamp,latitude,longitude,speed\n1,2,3,4,,\n");
    expect([...speedMmPerS]).toEqual([4000]);
  });

  it.for<[string, string, object]>([
    ["a column less", "timestamp,speed\n1,2\n", { code: "BAD_CSV", line: 1 }],
    [
      "a wrong number",
      "timestamp,latitude,longitude,speed\n1,2,3,4\n1,x,3,4\n",
      { code: "BAD_CSV", line: 3 },
    ],
    [
      "an impossible position",
      "timestamp,latitude,longitude,speed\n1,2,3,4\n1,200,3,4\n",
      { code: "BAD_ROW", line: 3 },
    ],
    [
      "decimal commas between commas, which would be other columns",
      "timestamp,latitude,longitude,speed\n1,2,3,4\n1778936400,47,5,8,5,1,5\n",
      {
        code: "BAD_CSV",
        line: 3,
        message:
          "Line 3: it has 7 fields, and the header line 4. If commas are decimal marks, separate the columns by semicolons, or write points.",
      },
    ],
    ["nothing", "", { code: "BAD_CSV", line: 1 }],
  ])("refuses %s, with its line", async ([, text, expected]) => {
    expect(await asiError(columnsOf(text))).toMatchObject(expected);
  });
});

it.for([
  ["row", `${"9".repeat(300_000)}\n1,2,3,4\n`],
  ["quote", `"${"x\n".repeat(150_000)}`],
])("a %s that never ends is refused", { timeout: 20_000 }, async ([, rows]) => {
  for (const text of [`timestamp,latitude,longitude,speed\n${rows}`]) {
    const error = await asiError(all(decodeCsv(utf8(text))));
    expect(error).toMatchObject({ code: "BAD_CSV", message: expect.stringMatching(/quote is not closed/) });
  }
});
