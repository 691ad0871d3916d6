import { createHash } from "node:crypto";
import {
  benchOf,
  halvesOf,
  type Interval,
  intervalsFor,
  joinedPeriods,
  lengthOf,
  MATCH,
  matchOf,
  type SessionPeriod,
  united,
  without,
} from "asi-convert/squad";
import { FILE_COLUMNS } from "asi-convert/squad-report";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { devices, sessionTimeframes, timeframes } from "../../store/schema.js";
import type { PlayerPeriod } from "../change/compute-pool.js";
import { pendingChanges } from "../computed-data/compute.js";
import { hasLostSamples } from "../computed-data/removed-samples.js";
import { RULES_VERSION } from "../computed-data/rules-version.js";
import { timesOf, WHOLE } from "./derivation-inputs.js";
import { idAsName } from "./period-rows.js";
import type { Session } from "./rules.js";
import type { SessionPlan } from "./wanted-timeframes.js";

/** A time frame of a session. */
export interface SessionFrame {
  id: number;
  athleteId: number;
  deviceId: number;
  serial: string;
  period: string;
  startTime: Date;
  endTime: Date;
  params: Record<string, unknown>;
  /** Versions from which figures are computed, as text. */
  state: string;
  /** Whether retention has removed samples. */
  isLost: boolean;
}

/** Reads the time frames of a session, ordered by id. @param athleteId only those of this player */
export async function framesOf(
  queries: Queries,
  sessionId: number,
  athleteId?: number,
): Promise<SessionFrame[]> {
  return queries
    .select({
      id: timeframes.id,
      athleteId: timeframes.athleteId,
      deviceId: timeframes.deviceId,
      serial: devices.serialNumber,
      period: sessionTimeframes.period,
      startTime: timeframes.startTime,
      endTime: timeframes.endTime,
      params: timeframes.params,
      state: sql<string>`${timeframes.id} || '.' || ${timeframes.version} || '.' || ${timeframes.dataVersion}
        || coalesce('.' || ${pendingChanges}, '')`,
      isLost: hasLostSamples,
    })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .innerJoin(devices, eq(devices.id, timeframes.deviceId))
    .where(
      and(
        eq(sessionTimeframes.sessionId, sessionId),
        athleteId === undefined ? undefined : eq(timeframes.athleteId, athleteId),
      ),
    )
    .orderBy(asc(timeframes.id));
}

/** Returns the union of the intervals of time frames; ends are exclusive. */
export const intervalsOf = (
  frames: readonly Pick<SessionFrame, "startTime" | "endTime">[],
): readonly Interval[] =>
  united(
    frames.map(({ startTime, endTime }) => ({ startMs: startTime.getTime(), endMs: endTime.getTime() + 1 })),
  );

/** The times in both lists. Both are ascending and disjoint. */
const common = (a: readonly Interval[], b: readonly Interval[]): Interval[] => without(a, without(a, b));

/** The stored period of the sum of the halves. No period has this name, because names contain no control characters. */
export const SUM_OF_HALVES = "\u001fMatch";

/** A period of a player, with the time frames of the player in it. */
export interface FramedPeriod extends PlayerPeriod {
  own: readonly SessionFrame[];
  /** Name of the period in the table; null if the table has no row for it. */
  shownAs: string | null;
}

/**
 * Returns the periods of a player that have figures: those with time frames, and those in which the player does not take part. A
 * match also has the sum of its halves, as in `asi squad`. Time frames that remain without the permission to write can exceed the
 * current times of a period, which would spoil the shares of all players, so only the common times count.
 * @param frames time frames of the player
 */
export function playerPeriods(
  session: Session,
  { periods }: Pick<SessionPlan, "periods">,
  athleteId: number,
  frames: readonly SessionFrame[],
): FramedPeriod[] {
  const name = idAsName(athleteId);
  const bench = benchOf(periods, name);
  const framed = (period: string, intervals: readonly Interval[], names: readonly string[]): FramedPeriod => {
    const own = frames.filter((frame) => names.includes(frame.period));
    return {
      period,
      intervals: common(intervalsOf(own), intervals),
      periodMs: lengthOf(intervals),
      bench: bench(period === WHOLE ? null : intervals),
      own,
      shownAs: own.length === 0 && intervals.length > 0 ? null : period,
    };
  };
  const [whole, ...parts] = timesOf(session, periods, athleteId)
    .map(({ period, intervals }) => framed(period, intervals, [period]))
    .filter(({ shownAs }) => shownAs !== null);
  return [...(whole === undefined ? [] : [whole]), ...matchPeriod(periods, name, framed), ...parts];
}

/** Ids of time frames, as text. */
export const idsOf = (frames: readonly Pick<SessionFrame, "id">[]): string =>
  frames.map(({ id }) => id).join(" ");

/**
 * Whether stored figures of a period must not be computed again: all their time frames are still in the period, and retention has
 * removed samples that new figures would need.
 * @param stored ids of the time frames of the stored figures
 * @param own the time frames in the period
 */
export function isKept(stored: string, own: readonly Pick<SessionFrame, "id" | "isLost">[]): boolean {
  const ids = new Set(own.map(({ id }) => String(id)));
  return stored !== "" && own.some(({ isLost }) => isLost) && stored.split(" ").every((id) => ids.has(id));
}

export const asPlayerPeriod = ({ period, intervals, periodMs, bench }: FramedPeriod): PlayerPeriod => ({
  period,
  intervals,
  periodMs,
  bench,
});

/** Returns the sum of the halves of a match. The table has no row for it if a period has its name. */
function matchPeriod(
  periods: readonly SessionPeriod[],
  name: string,
  framed: (period: string, intervals: readonly Interval[], names: readonly string[]) => FramedPeriod,
): FramedPeriod[] {
  const halves = halvesOf(periods);
  if (halves === null) return [];
  const intervals = intervalsFor(joinedPeriods(MATCH, halves, [name]), name);
  const sum = framed(
    SUM_OF_HALVES,
    intervals,
    halves.map((half) => half.name),
  );
  const isShown = sum.shownAs !== null && matchOf(periods, [name]) !== null;
  return [{ ...sum, shownAs: isShown ? MATCH : null }];
}

const hashOf = (value: unknown) =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);

/** Increased when the form of the stored texts changes, or how figures follow from the metrics and the periods. */
const STORED_FORM = 4;

/** Changes when the rules, the set of columns or the form of the stored texts change. */
export const FIGURES_VERSION = `${RULES_VERSION}.${hashOf([STORED_FORM, ...FILE_COLUMNS.map(({ key }) => key).sort()])}`;

/**
 * Returns the inputs of a player's figures as text: the version of the figures, the time frames with their versions, and a hash
 * of the periods. Equal texts imply equal figures.
 */
export function inputsOf(frames: readonly SessionFrame[], periods: readonly FramedPeriod[]): string {
  const times = periods.map(asPlayerPeriod);
  return `${FIGURES_VERSION}:${frames.map(({ state }) => state).join(" ")}:${hashOf(times)}`;
}

/** Whether both inputs have the same time frames, players and times. Their samples may differ. */
export const isOfSameFrames = (a: string, b: string): boolean => idsAndVersions(a) === idsAndVersions(b);

const idsAndVersions = (inputs: string): string =>
  (inputs.split(":")[1] ?? "")
    .split(" ")
    .map((state) => state.split(".").slice(0, 2).join("."))
    .join(" ");
