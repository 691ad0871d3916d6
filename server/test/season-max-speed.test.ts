/** Tests the maximum speed of a season, for which computed data compare the sessions of a year. */
import { eq, inArray } from "drizzle-orm";
import { describe, expect, onTestFinished, vi } from "vitest";
import { updateAccount } from "../src/domain/accounts/write.js";
import { transact } from "../src/domain/change/change.js";
import { resultsOfDays } from "../src/domain/computed-data/results-of-days.js";
import { accounts, computedData, timeframes } from "../src/store/schema.js";
import {
  DAY_MS,
  HOUR_MS,
  iso,
  type OptionalFigures,
  START_MS,
  steady,
  withOptionalFigures,
} from "./optional-figures-scene.js";
import { grant, newActivity, store, type Team } from "./team.js";

function seasonsOn({ s, frameOf, computed, ...figures }: OptionalFigures) {
  /** Creates a session of some minutes in an activity, some days after the start. @returns the time frame */
  async function session(
    team: Team,
    day: number,
    speed: number,
    activity?: number,
    minute = 0,
  ): Promise<number> {
    const fromMs = START_MS + day * DAY_MS + minute * 60_000;
    await store(s, team.device.id, steady(fromMs, speed));
    const of = activity ?? (await newActivity(s, team.manager));
    return frameOf(team, fromMs, fromMs + 60_000, { activity: of });
  }

  const season = async (frame: number, token: string) => {
    await s.runJobs();
    return (await computed(frame, token, "?with_max_speed=1")).season_max_speed;
  };

  return { s, frameOf, computed, session, season, ...figures };
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const value of values) read.push(value);
  return read;
}

/** A statement reads time frames in one query, and selects from them in another. */
const SELECTS_OF_STATEMENT = 2;

const it = withOptionalFigures().extend("seasons", { scope: "file" }, ({ figures }) => seasonsOn(figures));

describe("the maximum speed of a season", () => {
  it("is unconfirmed until another session is within 5 %; both halves of a match count as one session", async ({
    seasons: { s, teamFor, session, season },
  }) => {
    const team = await teamFor(10, 10);
    const { token } = team.manager;
    const match = await newActivity(s, team.manager);
    const first = await session(team, 0, 8000, match);
    const best = { max_speed: 8, day: "2024-06-01", not_computed: 0 };
    expect(await season(first, token)).toEqual({ ...best, unconfirmed: true, sessions: 1 });
    await session(team, 0, 7900, match, 30);
    expect(await season(first, token)).toEqual({ ...best, unconfirmed: true, sessions: 1 });
    const slow = await session(team, 2, 7000);
    expect(await season(slow, token)).toEqual({ ...best, unconfirmed: true, sessions: 2 });
    // Later sessions do not affect the year that ends with the first one.
    const third = await session(team, 4, 7900);
    expect(await season(third, token)).toEqual({ ...best, unconfirmed: false, sessions: 3 });
    expect(await season(first, token)).toEqual({ ...best, unconfirmed: true, sessions: 1 });
    // The result excludes a session whose time frame has been removed.
    await s.send("DELETE", `/api/v1/timeframes/${slow}/`, { token });
    expect(await season(third, token)).toEqual({ ...best, unconfirmed: false, sessions: 2 });
  });

  it("covers the 365 days that end on the day of the time frame", async ({
    seasons: { teamFor, session, season },
  }) => {
    const team = await teamFor(1, 400);
    const { token } = team.manager;
    await session(team, 0, 8000);
    const [within, beyond] = [await session(team, 364, 6000), await session(team, 365, 6100)];
    expect(await season(within, token)).toMatchObject({ max_speed: 8, sessions: 2 });
    expect(await season(beyond, token)).toMatchObject({ max_speed: 6.1, day: "2025-06-01", sessions: 2 });
  });

  it("includes the sessions that the caller can read, and no sessions of other owners or athletes", async ({
    seasons: { s, teamFor, session, season },
  }) => {
    const team = await teamFor(10, 10);
    const [fast, slow] = [await session(team, 0, 8000), await session(team, 4, 7000)];
    const other = await teamFor(10, 10);
    await session(other, 3, 9000);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", iso(START_MS + DAY_MS), "2999-01-01");
    expect(await season(slow, team.manager.token)).toMatchObject({ max_speed: 8, sessions: 2 });
    expect(await season(slow, reader.token)).toEqual({
      max_speed: 7,
      day: "2024-06-05",
      unconfirmed: true,
      sessions: 1,
      not_computed: 0,
    });
    expect((await s.get(`/api/v1/timeframes/${fast}/computed-data/`, reader.token)).status).toBe(403);
  });

  it("includes only current results: a changed time frame is included after its recomputation", async ({
    seasons: { s, teamFor, computed, session, season },
  }) => {
    const team = await teamFor(10, 10);
    const { token } = team.manager;
    const [fast, slow] = [await session(team, 0, 8000), await session(team, 4, 7000)];
    expect(await season(slow, token)).toMatchObject({ max_speed: 8, sessions: 2 });
    const json = { params: { max_valid_speed: 7.9, speed_ranges: [0, 5] } };
    await s.send("PATCH", `/api/v1/timeframes/${fast}/`, { token, json });
    const now = (await computed(slow, token, "?with_max_speed=1")).season_max_speed;
    expect(now).toMatchObject({ max_speed: 7, sessions: 1, not_computed: 1 });
    await s.send("PATCH", `/api/v1/timeframes/${fast}/`, { token, json: { params: {} } });
    expect(await season(slow, token)).toMatchObject({ max_speed: 8, sessions: 2, not_computed: 0 });
  });

  it("says how many time frames are missing while they wait for a changed birth date, and then there is no profile", async ({
    seasons: { s, teamFor, frameOf, computed, session, season },
  }) => {
    const team = await teamFor(10, 10);
    const { token } = team.manager;
    for (const day of [0, 1]) await session(team, day, 8000);
    const slow = await session(team, 4, 7000);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", iso(START_MS + DAY_MS), "2999-01-01");
    expect(await season(slow, token)).toMatchObject({ max_speed: 8, sessions: 3, not_computed: 0 });
    const isAthlete = eq(accounts.id, team.athlete);
    const [athlete] = await s.store.database.queries.select().from(accounts).where(isAthlete);
    if (athlete === undefined) throw new Error("No athlete");
    await transact(s.ctx, "test", (unit) => updateAccount(unit, athlete, { birthDate: "1990-01-01" }));
    const body = await computed(slow, token, "?with_max_speed=1&with_profile=1");
    expect(body.season_max_speed).toMatchObject({ max_speed: 7, sessions: 1, not_computed: 2 });
    expect(body.pooled_acceleration_speed).toMatchObject({
      profile: null,
      reason: expect.stringMatching(
        /^2 time frames of the 365 days are not computed, the latest with the id \d+$/,
      ),
      not_computed: 2,
    });
    // The reader does not learn of time frames that it may not read.
    const read = await computed(slow, reader.token, "?with_max_speed=1");
    expect(read.season_max_speed).toMatchObject({ sessions: 1, not_computed: 1 });
    // Without a computed session, the speed is unknown, and the response says that others wait.
    const empty = await frameOf(team, START_MS + 5 * DAY_MS, START_MS + 5 * DAY_MS + HOUR_MS);
    await transact(s.ctx, "test", (unit) => updateAccount(unit, athlete, { birthDate: "1991-01-01" }));
    expect((await computed(empty, token, "?with_max_speed=1")).season_max_speed).toMatchObject({
      max_speed: null,
      sessions: 0,
      not_computed: 3,
    });
    await s.runJobs();
    const now = await computed(slow, token, "?with_profile=1");
    expect(now.pooled_acceleration_speed).toMatchObject({ max_speed: 8, not_computed: 0 });
    expect(now.pooled_acceleration_speed.reason).not.toContain("not computed");
  });

  it("compares the same results, however many each statement reads", async ({
    seasons: { s, teamFor, session, season },
  }) => {
    const team = await teamFor(10, 10);
    // Two of the time frames start at the same time.
    const frames = [
      await session(team, 0, 8000),
      await session(team, 2, 7000),
      await session(team, 2, 7000),
      await session(team, 4, 7500),
    ];
    await season(frames[3] ?? 0, team.manager.token);
    const { id, username } = team.manager;
    const caller = { id, username, role: "MANAGER", canCreateManagedAthletes: true, scopes: null } as const;
    const { queries } = s.store.database;
    const [frame] = await queries
      .select()
      .from(timeframes)
      .where(eq(timeframes.id, frames[3] ?? 0));
    if (frame === undefined) throw new Error("no time frame");
    const select = vi.spyOn(queries, "select");
    onTestFinished(() => select.mockRestore());
    const read = (atATime: number) =>
      all(resultsOfDays({ ...s.ctx, queries, caller }, frame, { days: 365, atATime }));
    const together = await read(100);
    expect(together.map(({ maxSpeed }) => maxSpeed)).toEqual([7.5, 7, 7, 8]);
    for (const atATime of [1, 2, 3, 4]) expect(await read(atATime)).toEqual(together);
    // A statement reads no more time frames even if none of them has a maximum speed.
    await queries
      .update(computedData)
      .set({ sessionMaxSpeed: null })
      .where(inArray(computedData.timeframeId, frames));
    select.mockClear();
    expect([await read(2), select.mock.calls.length]).toEqual([[], 3 * SELECTS_OF_STATEMENT]);
  });

  it("is null if no session has at least 5 Hz", async ({ seasons: { teamFor, frameOf, computed } }) => {
    const team = await teamFor();
    const frame = await frameOf(team, START_MS, START_MS + HOUR_MS);
    expect(await computed(frame, team.manager.token, "?with_max_speed=1")).toMatchObject({
      session_max_speed: null,
      season_max_speed: null,
    });
  });
});
