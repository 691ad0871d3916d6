import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { migrations } from "./migrations/index.js";
import { checksumOf } from "./migrations/migration.js";

const FOLDER = join(import.meta.dirname, "migrations");
const files = readdirSync(FOLDER).filter((name) => /^\d{4}-/.test(name));
const recorded = JSON.parse(readFileSync(join(FOLDER, "checksums.json"), "utf8")) as Record<string, string>;

describe("the migrations", () => {
  it("match their recorded checksums: published migrations never change; `npm run record-migrations -w server` records a new one", () => {
    expect(
      Object.fromEntries(migrations.map((migration) => [migration.name, checksumOf(migration)])),
    ).toEqual(recorded);
  });

  it("are listed in the order of their numbers, each file once", () => {
    const names = migrations.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(files.map((file) => file.replace(/\.ts$/, "")).sort());
    const numbers = names.map((name) => name.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("have no imports, so later changes to the code cannot affect them", () => {
    for (const file of files) expect(readFileSync(join(FOLDER, file), "utf8")).not.toMatch(/^import\b|\$\{/m);
  });
});
