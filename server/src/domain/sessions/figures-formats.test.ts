import { describe, expect, it } from "vitest";
import type { CellTable } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { writeCsv, writeParquet } from "../computed-data/threads/table.js";
import type { FiguresTable } from "./figures.js";
import { tableAsCsv, tableAsParquet } from "./figures-formats.js";

const player = { athleteId: 1, name: "Ann", number: "7", position: null, params: {}, birthDate: null };

const tableOf = (count: number): FiguresTable => ({
  session: { id: 5, ownerId: 2, startTime: new Date(0) } as FiguresTable["session"],
  rows: Array.from({ length: count }, (_, i) => ({
    player,
    period: `Drill ${i}`,
    found: {
      figures: {},
      cells: { minutes: i },
      recordedMs: 1,
      hrCoverage: null,
      tooFast: null,
      seconds: [],
      definition: null,
      further: null,
    },
    periodMs: 60_000,
    coverage: 1,
    timeframes: [],
    leftOut: new Map(),
    computedAt: new Date(0),
  })),
  leftOut: [],
  computing: [],
  matchNote: null,
  hasHeart: true,
  wanted: {},
  etag: '"1"',
});

/** A context whose threads count what they write. */
function counting() {
  const written: number[] = [];
  const counted = (table: CellTable) => {
    written.push(table.rows.length);
    return table;
  };
  const computer = {
    share: (_key: string, _waiter: unknown, work: () => unknown) => work(),
    writeCsv: async (table: CellTable) => writeCsv(counted(table)),
    writeParquet: async (table: CellTable) => writeParquet(counted(table)),
  };
  return { ctx: { computer, serverKey: Buffer.alloc(32) } as unknown as Context, written };
}

describe("a file of a table", () => {
  it("with many rows is written in a thread, so that other requests do not wait for it", async () => {
    const { ctx, written } = counting();
    const { csv } = await tableAsCsv(ctx, tableOf(501), undefined);
    expect(csv.split("\n")).toHaveLength(503);
    await tableAsParquet(ctx, tableOf(501), undefined);
    expect(written).toEqual([501, 501]);
  });

  it("with few rows does not wait for a thread", async () => {
    const { ctx, written } = counting();
    const { csv } = await tableAsCsv(ctx, tableOf(500), undefined);
    expect(csv.split("\n")[2]).toContain("Drill 1,");
    expect(written).toEqual([]);
  });
});
