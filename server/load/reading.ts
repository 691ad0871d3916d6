/** The calls that a coach makes. */
import { type Resource, unwrap } from "asi-client";
import { differs, type Page, wrongFigures, wrongLatest, wrongPage, wrongRanges } from "./checks.js";
import type { ReadingKind, Tally } from "./tally.js";
import type { Device, Team, Timeframe } from "./team.js";
import { MATCH_SAMPLES, type Match, type Sample, stopMsOf } from "./truth.js";
import type { Wire } from "./wire.js";

/** Page sizes in samples: five minutes, and the maximum of the API. */
export const SMALL_PAGE = 3_000;
const LARGE_PAGE = 25_000;
const LATEST = 300;
const TWO_DAYS_MS = 2 * 86_400_000;

/** Number of calls of each kind in a hundred. */
const SHARES: Readonly<Record<ReadingKind, number>> = {
  "page of 3,000 samples": 30,
  "device list": 15,
  "computed data of a time frame": 15,
  "ranges of 2 days": 10,
  "300 latest samples": 10,
  "time frames of an activity": 10,
  "page of 25,000 samples": 5,
  account: 5,
};

/** Sends a call and returns a check of its response, which runs after the time has been measured. */
type Read = (coach: Coach) => Promise<() => string | null>;

export interface Coach {
  team: Team;
  wire: Wire;
  random(): number;
}

const pick = <T>({ random }: Coach, values: readonly T[]): T => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("There is nothing to read yet");
  return value;
};

/** Picks a device with a match, and one of its matches. */
function recorded(coach: Coach): { device: Device; match: Match } {
  const device = pick(
    coach,
    coach.team.devices.filter(({ matches }) => matches.length > 0),
  );
  return { device, match: pick(coach, device.matches) };
}

/**
 * Returns a function that lists the matches of a device that a response may show, because a match may have been stored since the
 * request.
 */
function statesSince(device: Device): () => readonly (readonly Match[])[] {
  const before = device.matches;
  return () => {
    const after = device.loading === null ? device.matches : [...device.matches, device.loading];
    return Array.from({ length: after.length - before.length + 1 }, (_, more) =>
      after.slice(0, before.length + more),
    );
  };
}

/**
 * Compares a response with several possible states. Returns null if it shows one of them, and otherwise its difference from the
 * last one.
 */
function wrongInAll<State>(states: readonly State[], wrong: (state: State) => string | null): string | null {
  let why: string | null = "there is no state to compare with";
  for (const state of states) {
    why = wrong(state);
    if (why === null) return null;
  }
  return why;
}

async function readPage(coach: Coach, limit: number): Promise<() => string | null> {
  const { device, match } = recorded(coach);
  // Starts at any sample, because the service would cache repeated pages.
  const first = Math.floor(coach.random() * (MATCH_SAMPLES - limit + 1));
  const count = MATCH_SAMPLES - first;
  const answer = await unwrap(
    coach.wire.asi.GET("/api/v1/devices/{device}/preprocessed-data/", {
      params: {
        path: { device: device.id },
        query: { start: String(match.startMs + first * 100), stop: String(stopMsOf(match)), limit },
      },
    }),
  );
  return () => wrongPage(answer as Page<Sample>, match, { first, count, limit });
}

const reads: Readonly<Record<ReadingKind, Read>> = {
  "page of 3,000 samples": (coach) => readPage(coach, SMALL_PAGE),
  "page of 25,000 samples": (coach) => readPage(coach, LARGE_PAGE),

  async "device list"({ team, wire }) {
    const { results } = await unwrap(
      wire.asi.GET("/api/v1/devices/", { params: { query: { ordering: "-serial_number" } } }),
    );
    const expected = team.devices.map(({ id, serial }) => ({ id, serial })).reverse();
    return () =>
      differs(
        results.map(({ id, serial_number: serial }) => ({ id, serial })),
        expected,
      );
  },

  async "ranges of 2 days"(coach) {
    const { device } = recorded(coach);
    const states = statesSince(device);
    const answer = await unwrap(
      coach.wire.asi.GET("/api/v1/devices/{device}/preprocessed-data-ranges/", {
        params: {
          path: { device: device.id },
          query: { start: String(device.firstStartMs), stop: String(device.firstStartMs + TWO_DAYS_MS) },
        },
      }),
    );
    return () => wrongInAll(states(), (matches) => wrongRanges(answer, matches));
  },

  async "300 latest samples"(coach) {
    const { device } = recorded(coach);
    const states = statesSince(device);
    const answer = (await unwrap(
      coach.wire.asi.GET("/api/v1/devices/{device}/latest-preprocessed-data/", {
        params: { path: { device: device.id }, query: { size: LATEST } },
      }),
    )) as Sample[];
    return () =>
      wrongInAll(
        states().flatMap((matches) => matches.slice(-1)),
        (last) => wrongLatest(answer, last, LATEST),
      );
  },

  async "computed data of a time frame"(coach) {
    const timeframe = pick(coach, coach.team.timeframes);
    const answer = await unwrap(
      coach.wire.asi.GET("/api/v1/timeframes/{timeframe}/computed-data/", {
        params: { path: { timeframe: timeframe.id } },
      }),
    );
    return () => wrongFigures(answer, timeframe.match);
  },

  async "time frames of an activity"({ team, wire }) {
    const before = team.timeframes;
    const { results } = await unwrap(
      wire.asi.GET("/api/v1/timeframes/", {
        params: { query: { activity: team.match.activity, ordering: "start_time", limit: 3000 } },
      }),
    );
    return () => wrongTimeframes(results, before, team);
  },

  async account({ team, wire }) {
    const { id, username } = await unwrap(wire.asi.GET("/api/v1/account/"));
    return () => differs({ id, username }, { id: team.id, username: team.username });
  },
};

/**
 * Expects all objects from before the request, each once and ordered by start. Further objects must have been created
 * in the meantime.
 */
function wrongTimeframes(
  answer: readonly Resource["Timeframe"][],
  before: readonly Timeframe[],
  { timeframes, creating, match }: Team,
): string | null {
  const shown = answer.map(({ start_time, end_time, device }) => `${device} ${start_time} ${end_time}`);
  const textOf = (device: number, { startMs }: Match, stopMs: number) =>
    `${device} ${new Date(startMs).toISOString()} ${new Date(stopMs).toISOString()}`;
  const all = new Set(timeframes.map((one) => textOf(one.device, one.match, stopMsOf(one.match))));
  const missing = before.filter((one) => !shown.includes(textOf(one.device, one.match, stopMsOf(one.match))));
  if (missing.length > 0) return `${missing.length} time frames are missing`;
  if (new Set(answer.map(({ id }) => id)).size !== answer.length) return "a time frame is listed twice";
  const starts = answer.map(({ start_time }) => start_time);
  if (starts.some((start, i) => start < (starts[i - 1] ?? ""))) return "not by start_time";
  const strangers = answer.filter((one, i) => {
    const isCreating = creating !== null && one.start_time === new Date(creating.startMs).toISOString();
    return one.activity !== match.activity || !(all.has(shown[i] ?? "") || isCreating);
  });
  return strangers.length === 0 ? null : `${strangers.length} time frames that nobody has created`;
}

/** Makes one call of a coach. @param dueAtMs due time, by `performance.now()` */
export async function read(coach: Coach, tally: Tally, dueAtMs: number): Promise<void> {
  const kind = kindAt(coach.random());
  tally.recordLateness(performance.now() - dueAtMs);
  try {
    const check = await reads[kind](coach);
    tally.record(kind, coach.wire.arrivedAtMs - dueAtMs);
    const why = check();
    if (why !== null) tally.isWrong(kind, why);
  } catch (error) {
    tally.hasFailed(kind, error);
  }
}

function kindAt(random: number): ReadingKind {
  let left = random * 100;
  for (const [kind, share] of Object.entries(SHARES) as [ReadingKind, number][]) {
    left -= share;
    if (left < 0) return kind;
  }
  return "account";
}
