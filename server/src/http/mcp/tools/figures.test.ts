import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { OwnApi } from "../own-api.js";
import { compareSessions, sessionFigures } from "./figures.js";
import { squadSeason } from "./season.js";

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

it("answers say how many entries of a list they do not contain", async () => {
  const many = (length: number) => Array.from({ length }, (_, i) => rowOf(`Player ${i}`, i));
  const answering = (body: object) =>
    ({ get: async (url: string) => ({ body, source: { url, version: null } }) }) as unknown as OwnApi;
  const table = { rows: many(103), left_out: many(102), computing: many(101) };
  const shortTable = { rows: many(100), left_out: many(100), computing: many(100) };
  const counts = { left_out_rows: 3, more_left_out: 2, more_computing: 1 };
  expect(await sessionFigures.answer({ session: 1 }, answering(table))).toMatchObject(counts);
  const short = await sessionFigures.answer({ session: 1 }, answering(shortTable));
  for (const name of Object.keys(counts)) expect(short).not.toHaveProperty(name);
  const players = many(104).map((player) => ({ ...player, best: {}, entries: [] }));
  const season = { squad: 1, sessions: [], left_out: 0, players };
  const { left_out_players } = await squadSeason.answer({ squad: 1 }, answering(season));
  expect(left_out_players).toBe(4);
});

const rowOf = (player: string, athlete: number) => ({
  ...{ player, athlete, period: null, definition: null, timeframes: [] },
  figures: { distance_m: 1000 },
});
