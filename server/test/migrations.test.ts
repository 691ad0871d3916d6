import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../src/store/database.js";
import { migrate } from "../src/store/migrate.js";
import * as schema from "../src/store/schema.js";
import { newDatabase } from "./service.js";

let database: Database;

beforeAll(async () => {
  ({ database } = await newDatabase());
});
afterAll(() => database.close());

describe("migrations", () => {
  it("are applied once, however often they are asked for", async () => {
    const both = await Promise.all([migrate(database.queries), migrate(database.queries)]);
    expect(both.flat()).toContain("0001-ground");
    expect(both.some((applied) => applied.length === 0)).toBe(true);
    expect(await migrate(database.queries)).toEqual([]);
  });

  it("make the tables that the queries know", async () => {
    const { rows } = await database.pool.query(
      `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const made = new Map(
      rows.map((row) => [`${row.table_name}.${row.column_name}`, [row.data_type, row.is_nullable === "NO"]]),
    );
    const standard = (type: string) =>
      type
        .replace(/^bigserial$/, "bigint")
        .replace(/\[\]$/, "")
        .replace(/^timestamp \(3\) with/, "timestamp with");
    for (const table of Object.values(schema).filter((value) => is(value, PgTable))) {
      const { name, columns } = getTableConfig(table);
      for (const column of columns) {
        const type = column.getSQLType().endsWith("[]") ? "ARRAY" : standard(column.getSQLType());
        expect([`${name}.${column.name}`, made.get(`${name}.${column.name}`)]).toEqual([
          `${name}.${column.name}`,
          [type, column.notNull],
        ]);
      }
    }
  });
});
