/** Tests that Parquet files have the columns that docs/formats.md promises for their schema. */
import { readFileSync } from "node:fs";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { convert, decodeEcg, decodeSync, formatLabelledSamples, type ParquetNumbers } from "../src/index.js";
import { numberColumn, tableParquet, textColumn } from "../src/squad-report/cell-files.js";
import { ecgParquetWriter } from "../src/waveform-files/ecg-parquet.js";
import { fixture } from "./fixture-files.js";
import { asiInf, ecgRaw, joined } from "./frames.js";
import { all, wholeBytes } from "./whole.js";

interface PromisedColumn {
  name: string;
  type: string;
  isOptional: boolean;
}

/** The lines of the table in docs/formats.md about a schema. */
function promised(schema: string): PromisedColumn[] {
  const text = readFileSync(new URL("../docs/formats.md", import.meta.url), "utf8");
  return text
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name]) => name === schema)
    .map(([, , name = "", type = "", missing]) => ({ name, type, isOptional: missing !== "never" }));
}

const TYPES: Record<string, string> = { "8 false": "UINT_8", "16 true": "INT_16" };

/** The columns of a file and the name of their schema, according to an independent reader. */
function columnsIn(bytes: Uint8Array): { schema: string | undefined; columns: PromisedColumn[] } {
  const { schema, key_value_metadata = [] } = parquetMetadata(new Uint8Array(bytes).buffer);
  const columns = schema
    .slice(1)
    .map(({ name, type = "", repetition_type, logical_type: meaning, ...rest }) => {
      const typeName =
        meaning?.type === "TIMESTAMP"
          ? `TIMESTAMP(${meaning.unit}, ${meaning.isAdjustedToUTC ? "UTC" : "local"})`
          : meaning?.type === "STRING"
            ? "STRING"
            : meaning?.type === "INTEGER"
              ? TYPES[`${meaning.bitWidth} ${meaning.isSigned}`]
              : meaning?.type === "DECIMAL"
                ? `DECIMAL(${rest.precision}, ${rest.scale})`
                : type;
      return { name, type: typeName ?? "unknown", isOptional: repetition_type === "OPTIONAL" };
    });
  return { schema: key_value_metadata.find(({ key }) => key === "schema")?.value, columns };
}

const rowsAs = (numbers: ParquetNumbers) =>
  wholeBytes(convert(fixture("valid/edges").bytes, { format: "parquet", numbers }).body);

describe("the columns of a Parquet file are those of docs/formats.md", () => {
  it("rows of a recording", async () => {
    expect(promised("rows/1")).toHaveLength(6);
    expect(columnsIn(await rowsAs("double"))).toEqual({ schema: "rows/1", columns: promised("rows/1") });
  });

  it("rows of several devices or players, after the columns that identify them", async () => {
    const { samples } = decodeSync(fixture("valid/edges").bytes);
    for (const [schema, names] of [
      ["device-rows/1", ["device"]],
      ["session-rows/1", ["session", "athlete", "player", "device"]],
    ] as const) {
      const labels = names.map(() => "x");
      const options = { format: "parquet", schema, labels: names } as const;
      const file = joined(await all(formatLabelledSamples([{ labels, samples: [samples] }], options)));
      const columns = promised(schema).map((column) => ({ ...column, type: "STRING" }));
      expect(columns.map(({ name }) => name)).toEqual(names);
      expect(columnsIn(file)).toEqual({ schema, columns: [...columns, ...promised("rows/1")] });
    }
  });

  it("rows with exact decimals", async () => {
    const decimals = ["DECIMAL(9, 7)", "DECIMAL(10, 7)", "DECIMAL(10, 3)", "DECIMAL(10, 3)"];
    const columns = promised("rows/1").map((column) =>
      column.type === "DOUBLE" ? { ...column, type: decimals.shift() ?? "" } : column,
    );
    expect(columnsIn(await rowsAs("decimal"))).toEqual({ schema: "rows/1", columns });
  });

  it("an ECG waveform", async () => {
    const writer = ecgParquetWriter();
    const frame = { timeMs: Date.UTC(2025, 5, 8), sampleRateHz: 250, samples: [1, -2] };
    const decoding = decodeEcg(joined([asiInf(), ecgRaw(frame)]));
    const pieces = (await all(decoding)).flatMap((batch) => [...writer.batch(batch)]);
    pieces.push(...writer.end(await decoding.info, await decoding.report));
    expect(columnsIn(joined(pieces))).toEqual({ schema: "ecg/1", columns: promised("ecg/1") });
  });

  it("a table of figures, in which every column can have missing values", () => {
    const file = tableParquet(
      [
        textColumn("player", "Player", ({ player }: { player: string }) => player),
        numberColumn("distance_m", "Distance", 0, () => 1),
      ],
      [{ player: "Kunz" }],
    );
    expect(columnsIn(file)).toEqual({
      schema: "figures/1",
      columns: [
        { name: "player", type: "STRING", isOptional: true },
        { name: "distance_m", type: "DOUBLE", isOptional: true },
      ],
    });
  });
});
