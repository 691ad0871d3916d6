import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { WasmRowWriter } from "../src/engine/wasm/wasm-row-writer.js";
import { AsiError, COLUMNS, type Column, type CsvLayout, convert } from "../src/index.js";
import { pieces } from "./drive.js";
import { fixture } from "./fixture-files.js";
import { asiInf, civilTime, ecgHr, joined, navPvt } from "./frames.js";
import { csvFields, thrown, wholeText } from "./whole.js";

// the unchanged writer of rows, with a counter of its calls
const write = vi.spyOn(WasmRowWriter.prototype, "write");

const recording = joined([
  asiInf(),
  ecgHr({ timeMs: 950, beatsPerMinute: 72 }),
  navPvt({
    ...civilTime(1000),
    latitudeE7: -473_831_250,
    longitudeE7: 85_042_710,
    altitudeMm: -5,
    speedMmPerS: 1500,
  }),
  navPvt({ ...civilTime(1100), latitudeE7: 1, longitudeE7: -1, fixType: 2, speedMmPerS: 0 }),
]);

function csvOf(layout: CsvLayout): Promise<string> {
  return wholeText(convert(recording, layout).body);
}

describe("the columns", () => {
  it("are the selected columns in the selected order", async () => {
    expect(await csvOf({ columns: ["hr", "timestamp", "speed"] })).toBe(
      "hr,timestamp,speed\n72,1.000,1.500\n,1.100,0.000\n",
    );
  });

  it("may be a single column", async () => {
    expect(await csvOf({ columns: ["altitude"] })).toBe("altitude\n-0.005\n\n");
  });

  it("are all six in the standard order by default", async () => {
    expect(await csvOf({})).toBe(
      "timestamp,latitude,longitude,altitude,speed,hr\n" +
        "1.000,-47.3831250,8.5042710,-0.005,1.500,72\n" +
        "1.100,0.0000001,-0.0000001,,0.000,\n",
    );
  });
});

describe("the delimiter", () => {
  it.for([";", "\t", "|", " ", "é"])("separates the fields: %j", async (delimiter) => {
    expect(await csvOf({ delimiter, columns: ["timestamp", "altitude", "hr"] })).toBe(
      "timestamp,altitude,hr\n1.000,-0.005,72\n1.100,,\n".replaceAll(",", delimiter),
    );
  });
});

describe("the decimal mark", () => {
  it("may be a comma, with semicolons between fields", async () => {
    expect(await csvOf({ decimalMark: "," })).toBe(
      "timestamp;latitude;longitude;altitude;speed;hr\n" +
        "1,000;-47,3831250;8,5042710;-0,005;1,500;72\n" +
        "1,100;0,0000001;-0,0000001;;0,000;\n",
    );
    expect(await csvOf({ decimalMark: ",", delimiter: "\t", columns: ["speed", "hr"] })).toBe(
      "speed\thr\n1,500\t72\n0,000\t\n",
    );
  });
});

describe("the header line", () => {
  it("is omitted on request", async () => {
    expect(await csvOf({ header: false, columns: ["speed", "hr"] })).toBe("1.500,72\n0.000,\n");
  });
});

describe("the line end", () => {
  it("can be CRLF, as on Windows, after the header and every row", async () => {
    expect(await csvOf({ lineEnd: "\r\n", columns: ["timestamp", "speed"] })).toBe(
      "timestamp,speed\r\n1.000,1.500\r\n1.100,0.000\r\n",
    );
  });
});

describe("a layout that differs from the standard layout in one property", () => {
  const standard = "timestamp,latitude,longitude,altitude,speed,hr\n0.000,0.0000000,0.0000000,0.000,0.000,\n";
  const written = (layout: CsvLayout) =>
    wholeText(convert(joined([asiInf(), navPvt(civilTime(0))]), layout).body);

  it("is written as requested", async () => {
    expect(await written({})).toBe(standard);
    expect(await written({ delimiter: ";" })).toBe(standard.replaceAll(",", ";"));
    expect(await written({ lineEnd: "\r\n" })).toBe(standard.replaceAll("\n", "\r\n"));
    expect(await written({ header: false })).toBe(standard.slice(standard.indexOf("\n") + 1));
  });
});

describe("any layout", () => {
  const standard = fixture("valid/run-fix-loss");

  it("has the same digits as the standard CSV, for any division of the input", async () => {
    const fields = csvFields(standard.csv ?? "");
    const layout = fc.record(
      {
        columns: fc.shuffledSubarray([...COLUMNS], { minLength: 1 }),
        delimiter: fc.constantFrom(",", ";", "\t"),
        decimalMark: fc.constantFrom(".", ","),
        header: fc.boolean(),
        lineEnd: fc.constantFrom("\n" as const, "\r\n" as const),
        engine: fc.constantFrom("simd" as const, "scalar" as const, "plain" as const),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(layout, fc.constantFrom(997, 50_000, 1 << 20), async (drawn, size) => {
        const { columns = COLUMNS, decimalMark = ".", header = true, lineEnd = "\n" } = drawn;
        const { delimiter = decimalMark === "," ? ";" : "," } = drawn;
        fc.pre(delimiter !== decimalMark);
        const line = (cells: readonly string[]) => cells.join(delimiter) + lineEnd;
        const expected = fields.map((row) =>
          line(columns.map((column) => (row[COLUMNS.indexOf(column)] ?? "").replace(".", decimalMark))),
        );
        const { body: csv } = convert(pieces(standard.bytes, size), drawn);
        expect(await wholeText(csv)).toBe((header ? line(columns) : "") + expected.join(""));
      }),
      { numRuns: 25 },
    );
  });

  it("has the same name and the same report", async () => {
    const { body: csv, fileName, report } = convert(standard.bytes, { columns: ["speed"], delimiter: ";" });
    await wholeText(csv);
    expect(await fileName).toBe(standard.expectation.fileName);
    expect(await report).toEqual(standard.expectation.report);
  });

  it("can be limited in time", async () => {
    const { body: csv, fileName } = convert(recording, { columns: ["timestamp"], from: 1050 });
    expect(await wholeText(csv)).toBe("timestamp\n1.100\n");
    expect(await fileName).toBe("TEST-1_19700101T000001_19700101T000001.csv");
  });
});

describe("a layout that cannot be written is refused before a byte is read", () => {
  it.for<[string, CsvLayout]>([
    ["no column", { columns: [] }],
    ["a column twice", { columns: ["hr", "hr"] }],
    ["a column that does not exist", { columns: ["pulse" as Column] }],
    ["an empty delimiter", { delimiter: "" }],
    ["a delimiter of two characters", { delimiter: ";;" }],
    ["a digit as delimiter", { delimiter: "1" }],
    ["a letter as delimiter", { delimiter: "e" }],
    ["a delimiter that is not text", { delimiter: null as unknown as string }],
    ["a delimiter in an array", { delimiter: ["|"] as unknown as string }],
    ["columns that are not an array", { columns: "hr" as unknown as Column[] }],
    ["the decimal point as delimiter", { delimiter: "." }],
    ["the sign as delimiter", { delimiter: "-" }],
    ["a quote as delimiter", { delimiter: '"' }],
    ["a line end as delimiter", { delimiter: "\n" }],
    ["a different decimal mark", { decimalMark: "'" as "," }],
    ["a comma as decimal mark and delimiter", { decimalMark: ",", delimiter: "," }],
    ["a different line end", { lineEnd: "\r" as "\n" }],
  ])("%s", ([, layout]) => {
    const source = new ReadableStream<Uint8Array>();
    const error = thrown(() => convert(source, layout));
    expect(error).toBeInstanceOf(AsiError);
    expect(error).toMatchObject({ code: "BAD_OPTION" });
    expect(source.locked).toBe(false);
  });
});

describe("a recording of many ranges", () => {
  it("is written in another layout step by step, not range by range, unless it is split", async () => {
    const ranges = 500;
    const rows = Array.from({ length: ranges }, (_, i) => navPvt(civilTime(i * 1_000_000)));
    const bytes = joined([asiInf(), ...rows]);
    write.mockClear();
    const csv = await wholeText(convert(bytes, { columns: ["timestamp"] }).body);
    expect(csv.split("\n")).toHaveLength(ranges + 2);
    expect(write.mock.calls.length).toBeGreaterThan(0);
    expect(write.mock.calls.length).toBeLessThan(10);
  });
});
