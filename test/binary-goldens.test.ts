import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ConvertOptions, convert, decodeSync, type FormatName, rowsOf } from "../src/index.js";
import { ENGINES } from "./every-engine.js";
import { fixture } from "./fixture-files.js";
import { rowIn, rowsInFile } from "./rows-in-file.js";
import { expectSame } from "./same.js";
import { wholeBytes } from "./whole.js";

// Compares the binary files beside the recording byte by byte. UPDATE_GOLDENS=1 rewrites them; review the changes.

const edges = fixture("valid/edges");

const GOLDENS: readonly [string, FormatName, ConvertOptions][] = [
  ["edges.fit", "fit", {}],
  ["edges.parquet", "parquet", {}],
  ["edges.decimal.parquet", "parquet", { numbers: "decimal" }],
];

describe.for(GOLDENS)("%s", ([name, format, options]) => {
  const path = fileURLToPath(new URL(`../fixtures/valid/${name}`, import.meta.url));

  it("is the output of every engine", async () => {
    for (const engine of ENGINES) {
      const written = await wholeBytes(convert(edges.bytes, { ...options, format, engine }).body);
      if (process.env.UPDATE_GOLDENS === "1") writeFileSync(path, written);
      expectSame(written, new Uint8Array(readFileSync(path)), engine);
    }
  });

  it("contains the original rows for an independent reader", async () => {
    const rows = [...rowsOf(decodeSync(edges.bytes, { fillHrMs: format === "fit" ? 2000 : 0 }).samples)];
    const expected = rows.map((row) => rowIn(format, row));
    expect(await rowsInFile(format, new Uint8Array(readFileSync(path)))).toEqual(expected);
  });
});
