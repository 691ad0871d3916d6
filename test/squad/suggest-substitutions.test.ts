import { afterAll, describe, expect, it } from "vitest";
import type { EncodableRow } from "../../src/index.js";
import { demoSquad } from "../../src/recording/demo-squad.js";
import {
  asSessionPeriods,
  intervalsFor,
  mainInterval,
  playedPeriods,
  type SessionPeriod,
  SQUAD_COLUMNS,
  type SquadRecording,
  squadMembers,
  squadRows,
  suggestPeriods,
  suggestSubstitutions,
  summaryOf,
  wholeRows,
} from "../../src/squad/index.js";
import { readPeriods, readRoster } from "../../src/squad/sheets.js";
import { recordingOfRows, rowsAt } from "./recordings.js";

const START_MS = Date.UTC(2026, 4, 16, 12, 30);
const MINUTE_MS = 60_000;

/** One of ten rows of a generated match. */
function sampled(rows: Iterable<EncodableRow>): SquadRecording["samples"] {
  const some = [...rows].filter((_, i) => i % 10 === 0);
  const samples = rowsAt(some.map(({ timestamp }) => Number(timestamp)));
  for (const [i, { latitude, longitude, speed }] of some.entries()) {
    samples.latitudeE7[i] = Math.round(latitude * 1e7);
    samples.longitudeE7[i] = Math.round(longitude * 1e7);
    samples.speedMmPerS[i] = Math.round((speed ?? 0) * 1000);
  }
  return samples;
}

/** Generated once for all tests, which only read them. */
const matches = new Map<string, ReturnType<typeof newMatch>>();

/** A generated match, and its actual periods. */
function matchOf(players: number, seed: number) {
  const key = `${players} ${seed}`;
  const match = matches.get(key) ?? newMatch(players, seed);
  matches.set(key, match);
  return match;
}

function newMatch(players: number, seed: number) {
  const match = demoSquad({ players, seed, startMs: START_MS });
  const recordings = match.recordings.map(({ fileName, serial, rows }) =>
    recordingOfRows(serial, sampled(rows()), `${fileName}.asi`),
  );
  const members = squadMembers(recordings, readRoster(match.roster).roster);
  const names = members.map(({ name }) => name);
  const { periods } = readPeriods(match.periods, { session: mainInterval(recordings), players: names });
  return { members, names, periods };
}

const withoutOwn = (periods: readonly SessionPeriod[]) =>
  periods.map((period): SessionPeriod => ({ ...period, own: new Map() }));

/** The time of each player in each period, to the minute. */
const minutesOf = (periods: readonly SessionPeriod[], names: readonly string[]) =>
  periods.flatMap((period) =>
    names.map((name) => {
      const times = intervalsFor(period, name).map((interval) =>
        [interval.startMs, interval.endMs].map((ms) => Math.round((ms - START_MS) / MINUTE_MS)).join(" to "),
      );
      return `${period.name} ${name} ${times}`;
    }),
  );

describe("suggested substitutions", () => {
  const full = matchOf(11, 4);
  afterAll(() => matches.clear());

  it.each([1, 2])("are those of the match, to the minute: seed %i", (seed) => {
    const { members, names, periods } = matchOf(18, seed);
    const suggested = suggestSubstitutions(withoutOwn(periods), members);
    expect(minutesOf(suggested.periods, names)).toEqual(minutesOf(periods, names));
    // five who leave or do not return, five who enter, two who only sit on the bench
    expect(suggested.players).toHaveLength(12);
    // suggested periods have the same result
    const found = asSessionPeriods(suggestPeriods(members));
    expect(minutesOf(suggestSubstitutions(found, members).periods, names)).toEqual(minutesOf(periods, names));
  });

  it("determine who is included in means, so that means are the same before and after the times of substitutes are used", () => {
    const { members, names, periods } = matchOf(18, 1);
    const countedIn = (used: readonly SessionPeriod[], played: readonly SessionPeriod[]) => {
      const rows = squadRows(members, used, {}, played);
      return [null, ...periods.map(({ name }) => name)].map((name) => {
        const own = rows.filter(({ period }) => period === name);
        const whole = wholeRows(own);
        const means = SQUAD_COLUMNS.map((column) => summaryOf(own, column, whole).mean);
        return { who: [...whole].map(({ member }) => member.name), means };
      });
    };
    const unused = withoutOwn(periods);
    const { periods: suggested } = playedPeriods(unused, members);
    const before = countedIn(unused, suggested);
    expect(before).toEqual(countedIn(suggested, suggested));
    const playing = (period: string) =>
      names.filter((name) => {
        const one = periods.find((some) => some.name === period) ?? expect.fail();
        return intervalsFor(one, name).some(({ startMs, endMs }) => endMs - startMs > 40 * MINUTE_MS);
      });
    // excludes the seven on the bench in the first half, and those who come on or go off in the second; Kunz has no data for
    // the first half
    const [first, second] = before.slice(2).map(({ who }) => who);
    expect(first).toEqual(playing("1st half").filter((name) => name !== "Kunz"));
    expect(second).toEqual(playing("2nd half"));
    expect([first?.length, second?.length]).toEqual([10, 7]);
    // without periods the halves are also suggested
    expect(countedIn([], playedPeriods([], members).periods)[0]).toEqual(before[0]);
  });

  it("are absent if all players play all the time, even if one tracker starts late and one is changed", () => {
    const { members, periods } = full;
    expect(periods.every(({ own }) => own.size === 0)).toBe(true);
    expect(suggestSubstitutions(periods, members)).toEqual({ periods, players: [] });
  });

  it("do not change periods that have times of players, that are for some players, or that are short", () => {
    // half of the time is a pause, because otherwise only Meier would be found to enter
    const pause = { startMs: START_MS + 20 * MINUTE_MS, endMs: START_MS + 29 * MINUTE_MS };
    const half = { startMs: START_MS + 30 * MINUTE_MS, endMs: START_MS + 60 * MINUTE_MS };
    const period = (name: string, all: SessionPeriod["all"], own: [string, (typeof half)[]][] = []) => ({
      name,
      all,
      own: new Map(own),
      line: 0,
    });
    const periods = [
      period("Own", half, [["keller", [half]]]),
      period("Some", null, [["keller", [half]]]),
      period("Short", pause),
    ];
    expect(suggestSubstitutions(periods, full.members)).toEqual({ periods, players: [] });
  });

  it("do not change if another period is a century later", () => {
    const { members, periods } = matchOf(18, 1);
    const open = withoutOwn(periods);
    const hour = Date.UTC(2126, 4, 16);
    const later: SessionPeriod = {
      name: "Later",
      all: { startMs: hour, endMs: hour + 60 * MINUTE_MS },
      own: new Map(),
      line: 9,
    };
    const alone = suggestSubstitutions(open, members);
    expect(alone.players).not.toEqual([]);
    expect(suggestSubstitutions([...open, later], members)).toEqual({
      ...alone,
      periods: [...alone.periods, later],
    });
  });

  it("are absent if no one moves or there are no data", () => {
    const all = { startMs: START_MS, endMs: START_MS + 45 * MINUTE_MS };
    const half: SessionPeriod = { name: "Half", all, own: new Map(), line: 0 };
    const times = Array.from({ length: 45 * 60 }, (_, i) => START_MS + i * 1000);
    const still = ["A", "B"].map((serial) => recordingOfRows(serial, rowsAt(times, 100)));
    for (const recordings of [still, []])
      expect(suggestSubstitutions([half], squadMembers(recordings, null)).players).toEqual([]);
  });
});
