import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Expectation } from "../fixtures/index.js";
import type { DecodeOptions } from "../src/index.js";

/** A fixture on the disk. */
export interface FixtureFile {
  /** Folder and name without extension: `valid/match-hr`. */
  name: string;
  bytes: Uint8Array;
  /** Null if there is no row. */
  csv: string | null;
  expectation: Expectation;
  /** Options for reading it. */
  options: DecodeOptions;
}

const root = fileURLToPath(new URL("../fixtures/", import.meta.url));

export const fixtures: readonly FixtureFile[] = ["valid", "damaged"].flatMap((folder) =>
  readdirSync(root + folder)
    .filter((file) => file.endsWith(".asi"))
    .map((file) => load(`${folder}/${file.slice(0, -".asi".length)}`, readdirSync(root + folder))),
);

/** The fixture with this name. */
export function fixture(name: string): FixtureFile {
  const found = fixtures.find((file) => file.name === name);
  if (found === undefined) throw new Error(`there is no fixture ${name}`);
  return found;
}

/** A fixture in a text format, from the disk. */
export function formatFile({ name }: FixtureFile, extension: string): string {
  return readFileSync(`${root}${name}.${extension}`, "utf8");
}

/** Fixtures with rows that are smaller than `maxBytes`. */
export function fixturesWithRows(maxBytes = Number.POSITIVE_INFINITY): readonly FixtureFile[] {
  return fixtures.filter(({ csv, bytes }) => csv !== null && bytes.length < maxBytes);
}

function load(name: string, files: readonly string[]): FixtureFile {
  const expectation = JSON.parse(readFileSync(`${root}${name}.json`, "utf8")) as Expectation;
  const hasCsv = files.includes(`${name.slice(name.indexOf("/") + 1)}.csv`);
  return {
    name,
    bytes: new Uint8Array(readFileSync(`${root}${name}.asi`)),
    csv: hasCsv ? readFileSync(`${root}${name}.csv`, "utf8") : null,
    expectation,
    options: { ...expectation.options },
  };
}
