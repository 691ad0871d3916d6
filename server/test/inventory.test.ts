import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { implemented, rows } from "./inventory.js";
import { service } from "./service.js";

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
  .join("\n");

const due = rows.filter(([, , , group]) => implemented.has(group));

describe("inventory of operations", () => {
  it.each([...new Set(due.map(([row]) => row))])("row %s has a test that names it", (row) => {
    expect(new RegExp(`["'\`]row ${row}: `).test(sources)).toBe(true);
  });

  it("has a route for each row, and a row for each route", async () => {
    const { operations } = (await service()).service.app;
    const routed = operations.map(({ method, path }) => `${method} ${path}`);
    const promised = new Set(rows.map(([, method, path]) => `${method} ${path}`));
    expect(routed.filter((operation) => !promised.has(operation))).toEqual([]);
    const ours = due.filter(([row]) => !row.startsWith("X")).map(([, method, path]) => `${method} ${path}`);
    expect(ours.filter((operation) => !routed.includes(operation))).toEqual([]);
  });
});
