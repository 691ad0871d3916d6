import { expect, it } from "vitest";
import { demoSquad } from "../../src/recording/demo-squad.js";
import { readPeriods, readRoster } from "../../src/squad/sheets.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);

it("the periods of the demo match are the same in every time zone", () => {
  const { roster, periods } = demoSquad({ players: 14, startMs: START_MS, offsetMs: null });
  const players = readRoster(roster).roster.players.map(({ name }) => name);
  const session = { startMs: START_MS, endMs: START_MS + 3 * 3_600_000 };
  const inZone = (timeZone: string) => readPeriods(periods, { session, timeZone, players });
  expect(inZone("UTC").problems).toEqual([]);
  expect(inZone("UTC").periods.map(({ all }) => all?.startMs)).toEqual(
    [0, 30, 91].map((minute) => START_MS + minute * 60_000),
  );
  expect(inZone("America/Los_Angeles")).toEqual(inZone("UTC"));
});
