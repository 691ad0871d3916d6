import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import {
  decodeSync,
  formatLabelledSamples,
  formatSamples,
  type LabelledFormatName,
  type LabelledSamples,
  rowsBetween,
  type SampleBatch,
} from "../src/index.js";
import { fixture } from "./fixture-files.js";
import { joined } from "./frames.js";
import { asiError } from "./whole.js";

const { samples: SAMPLES, info } = decodeSync(fixture("valid/match-hr").bytes);
const LABELS = ["player", "device"];
const someRows = (from: number, to: number) => rowsBetween(SAMPLES, from, to);

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(joined(all));
}

const written = (groups: Iterable<LabelledSamples>, format: LabelledFormatName) =>
  whole(formatLabelledSamples(groups, { format, labels: LABELS, schema: "player-rows/1" }));
const writtenText = async (groups: Iterable<LabelledSamples>, format: LabelledFormatName) =>
  new TextDecoder().decode(await written(groups, format));
const linesOf = async (samples: SampleBatch, format: "csv" | "jsonl") =>
  new TextDecoder()
    .decode(await whole(formatSamples([samples], { format, info })))
    .trimEnd()
    .split("\n");

describe("formatLabelledSamples", () => {
  const [first, second] = [someRows(0, 40), someRows(10, 13)];
  const groups = [
    { labels: ["Ann", "TRK-1"], samples: [first] },
    { labels: ["Bo", "TRK-2"], samples: [rowsBetween(second, 0, 1), rowsBetween(second, 1, 3)] },
  ];

  it("writes the lines of the CSV after the texts of their group", async () => {
    const [header, ...rows] = await linesOf(first, "csv");
    expect(await writtenText(groups, "csv")).toBe(
      [
        `player,device,${header}`,
        ...rows.map((line) => `Ann,TRK-1,${line}`),
        ...(await linesOf(second, "csv")).slice(1).map((line) => `Bo,TRK-2,${line}`),
        "",
      ].join("\n"),
    );
  });

  it("writes JSON lines whose first members are the texts", async () => {
    const [line] = (await writtenText(groups, "jsonl")).split("\n");
    const [own] = await linesOf(first, "jsonl");
    expect(line).toBe(own?.replace("{", '{"player":"Ann","device":"TRK-1",'));
  });

  it("writes each group as a row group of Parquet, so that readers can skip the others", async () => {
    const file = await written(groups, "parquet");
    const rows = await parquetReadObjects({ file: file.buffer });
    const plain = async (samples: SampleBatch) =>
      parquetReadObjects({
        file: (await whole(formatSamples([samples], { format: "parquet", info }))).buffer,
      });
    expect(rows).toEqual([
      ...(await plain(first)).map((row) => ({ player: "Ann", device: "TRK-1", ...row })),
      ...(await plain(second)).map((row) => ({ player: "Bo", device: "TRK-2", ...row })),
    ]);
    const { row_groups, key_value_metadata } = parquetMetadata(file.buffer);
    expect(key_value_metadata).toEqual([{ key: "schema", value: "player-rows/1" }]);
    const extremes = row_groups.map(({ columns }) => columns[0]?.meta_data?.statistics);
    expect(extremes.map((one) => [one?.min_value, one?.max_value])).toEqual([
      ["Ann", "Ann"],
      ["Bo", "Bo"],
    ]);
  });

  it("writes Parquet in which DuckDB finds the rows of a player", async () => {
    const folder = mkdtempSync(join(tmpdir(), "asi-labelled-"));
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    try {
      const path = join(folder, "rows.parquet");
      writeFileSync(path, await written(groups, "parquet"));
      const reader = await connection.runAndReadAll(
        `SELECT player, device, count(*)::INT, max(epoch_ms(timestamp))::DOUBLE FROM '${path}' WHERE player = 'Bo' GROUP BY ALL`,
      );
      expect(reader.getRows()).toEqual([["Bo", "TRK-2", second.length, second.timestampMs.at(-1)]]);
    } finally {
      connection.closeSync();
      rmSync(folder, { recursive: true });
    }
  });

  it("keeps any text as it is in JSON lines and Parquet, and quotes it in CSV", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 80 }), async (text) => {
        const one = [{ labels: [text, '=1+"a",b'], samples: [second] }];
        const [parquet] = await parquetReadObjects({ file: (await written(one, "parquet")).buffer });
        expect(parquet?.player).toBe(text);
        expect(JSON.parse((await writtenText(one, "jsonl")).split("\n")[0] ?? "").player).toBe(text);
        expect(await writtenText(one, "csv")).toContain(`,"'=1+""a"",b",`);
      }),
      { numRuns: 30 },
    );
  });

  it("writes only the header if there are no rows", async () => {
    const none = [{ labels: ["Ann", "TRK-1"], samples: [] }];
    for (const groups of [[], none]) {
      expect(await writtenText(groups, "csv")).toBe(
        "player,device,timestamp,latitude,longitude,altitude,speed,hr\n",
      );
      expect(await writtenText(groups, "jsonl")).toBe("");
      expect(await parquetReadObjects({ file: (await written(groups, "parquet")).buffer })).toEqual([]);
    }
  });

  it("refuses other formats, and a group without a text for each name", async () => {
    expect((await asiError(written(groups, "gpx" as LabelledFormatName))).code).toBe("BAD_OPTION");
    expect((await asiError(written([{ labels: ["Ann"], samples: [] }], "csv"))).code).toBe("BAD_ARGUMENT");
  });
});
