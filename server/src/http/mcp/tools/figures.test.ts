import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { OwnApi } from "../own-api.js";
import { compareSessions } from "./figures.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

it("a comparison of sessions keeps only the table that it is reading in memory", async () => {
  const tables: WeakRef<object>[] = [];
  const kept: number[] = [];
  const api = {
    async get(path: string) {
      // References are released only between iterations of the event loop.
      await nextTurn();
      collectGarbage();
      kept.push(tables.filter((table) => table.deref() !== undefined).length);
      const body = { rows: [rowOf("Ann", 1), rowOf("Bea", 2)], left_out: [], computing: [] };
      tables.push(new WeakRef(body));
      return { body, source: { url: path, version: null } };
    },
  } as unknown as OwnApi;
  const answer = await compareSessions.answer({ player: "Ann", sessions: [1, 2, 3, 4, 5, 6] }, api);
  expect(answer.sources).toHaveLength(6);
  expect(kept).toHaveLength(6);
  expect(Math.max(...kept)).toBeLessThan(2);
});

const rowOf = (player: string, athlete: number) => ({
  ...{ player, athlete, period: null, definition: null, timeframes: [] },
  figures: { distance_m: 1000 },
});
