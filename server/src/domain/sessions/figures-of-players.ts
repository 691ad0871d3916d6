import { setImmediate as nextEventLoopTurn, setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "../../store/connection/database-errors.js";
import type { Turn } from "../../store/queue/turn.js";
import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import { groupBy } from "../change/group-by.js";
import { TooManySamples } from "../computed-data/sample-limit.js";
import { CallersLeftError } from "../computed-data/threads/queue.js";
import { computePlayer } from "./compute-player.js";
import { recentFailures, recordFailure } from "./failed-figures.js";
import {
  type FramedPeriod,
  framesOf,
  inputsOf,
  isOfSameFrames,
  playerPeriods,
  type SessionFrame,
} from "./figures-inputs.js";
import type { SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";
import { type ComputedPlayer, storedFigures } from "./stored-figures.js";
import { planOf, type SessionPlan } from "./wanted-timeframes.js";

/** A player with time frames in a session, and the current inputs of the figures. */
export interface PlayerOfTable {
  player: SessionPlayer;
  own: SessionFrame[];
  periods: FramedPeriod[];
  inputs: string;
}

interface FiguresOfPlayers {
  plan: SessionPlan;
  /** All players with time frames. */
  players: PlayerOfTable[];
  /** Current figures by athlete; those that are still being computed are missing. */
  computed: ReadonlyMap<number, ComputedPlayer>;
  /** Athletes whose figures a job could not compute. */
  failed: ReadonlySet<number>;
  /** Errors of computations. */
  errors: readonly unknown[];
  /** The athlete after whom the next turn of a job continues; null if there are no more. */
  rest: number | null;
}

/** The figures that are wanted. */
export interface WantedFigures {
  /** Time limit by `performance.now()`, after which no computation begins or is awaited; default: none. */
  untilMs?: number;
  /** Id of the only player whose figures are computed; null or absent for all. Stored figures are returned for all players. */
  only?: number | null;
  /**
   * A job also computes the figures that a job could not compute, and records those that cannot be computed. Otherwise, these
   * players are in `failed`. In each turn, it computes figures of athletes with ids above `after`.
   */
  job?: { turn: Turn; after: number };
}

/** Number of players of one request computed concurrently, so that other requests can run in between. */
const AT_A_TIME = 4;

/** Number of rows (players × periods) above which other requests run between players. */
const MANY_ROWS = 1_000;

/** Maximum number of restarts because time frames have changed during the computation. */
const MAX_TRIES = 3;

/**
 * Returns the figures of the players of a session: current stored figures, and those that can be computed before the time limit.
 * A computation that has begun continues afterwards, and its result is stored.
 * @throws for a request without a time limit, the first error of a computation, after all others have ended
 */
export async function figuresUntil(
  ctx: Context,
  session: Session,
  wantedFigures: WantedFigures = {},
  tries = 1,
): Promise<FiguresOfPlayers> {
  const { untilMs = Number.POSITIVE_INFINITY, only = null, job } = wantedFigures;
  const frames = await framesOf(ctx.queries, session.id);
  const plan = await planOf(ctx.queries, session, frames);
  const stored = await storedFigures(ctx.queries, session.id);
  const framesOfPlayer = groupBy(frames, ({ athleteId }) => athleteId);
  const players: PlayerOfTable[] = [];
  for (const player of plan.players) {
    // Let other requests run, because each of 200 players may have 50 periods.
    if (plan.players.length * plan.periods.length > MANY_ROWS) await nextEventLoopTurn();
    const own = framesOfPlayer.get(player.athleteId) ?? [];
    const periods = playerPeriods(session, plan, player.athleteId, own);
    // A removed period keeps its time frames until the job that derives them has run.
    if (own.length > 0 && periods.length > 0)
      players.push({ player, own, periods, inputs: inputsOf(own, periods) });
  }
  const computed = new Map<number, ComputedPlayer>();
  const missing: PlayerOfTable[] = [];
  const failed = new Set<number>();
  const failures = job !== undefined ? new Map<number, string>() : await recentFailures(ctx, session.id);
  for (const one of players) {
    const { athleteId } = one.player;
    const known = stored.get(athleteId);
    if (known?.inputs === one.inputs) computed.set(athleteId, known);
    else if (failures.get(athleteId) === one.inputs) failed.add(athleteId);
    else if (job !== undefined ? athleteId > job.after : only === null || athleteId === only)
      missing.push(one);
  }
  if (job !== undefined) missing.sort((a, b) => a.player.athleteId - b.player.athleteId);
  const late = new AbortController();
  const signal = ctx.signal === undefined ? late.signal : AbortSignal.any([ctx.signal, late.signal]);
  const compute = async ({ player, inputs }: PlayerOfTable) => {
    const { athleteId } = player;
    try {
      computed.set(athleteId, await computePlayer({ ...ctx, signal }, session, plan, player, inputs));
    } catch (error) {
      const isTooMany = error instanceof TooManySamples;
      if (isTooMany || (job !== undefined && isOfPlayer(error)))
        await recordFailure(ctx, { sessionId: session.id, athleteId, inputs });
      // Another attempt would not help.
      if (!isTooMany) throw error;
      failed.add(athleteId);
    }
  };
  const errors: unknown[] = [];
  let at = 0;
  for (; at < missing.length && performance.now() < untilMs; at += AT_A_TIME) {
    if (at > 0 && job?.turn.isOver === true) break;
    const some = Promise.allSettled(missing.slice(at, at + AT_A_TIME).map(compute));
    const results = await within(some, untilMs);
    errors.push(
      ...(results ?? []).flatMap((result) => (result.status === "rejected" ? [result.reason] : [])),
    );
  }
  // Computations that have not begun must not wait in the queue after the response.
  late.abort();
  // A player whose samples are damaged must not prevent the figures of others.
  if (errors.length > 0 && untilMs === Number.POSITIVE_INFINITY && job === undefined) throw errors[0];
  // Other time frames may have other players and times, whose rights would not be checked.
  for (const { player, inputs } of players) {
    const found = computed.get(player.athleteId);
    if (found === undefined || isOfSameFrames(found.inputs, inputs)) continue;
    if (tries < MAX_TRIES) return figuresUntil(ctx, session, wantedFigures, tries + 1);
    computed.delete(player.athleteId);
  }
  // Return a copy, because computations that are not awaited would add to the table while it is written.
  const rest = at < missing.length ? (missing[at - 1]?.player.athleteId ?? null) : null;
  return { plan, players, computed: new Map(computed), failed, errors, rest };
}

/** Whether an error concerns only the figures of one player, not the database and not the number of waiting computations. */
export const isOfPlayer = (error: unknown): boolean =>
  error instanceof TooManySamples ||
  !(error instanceof ServiceError || error instanceof CallersLeftError || isUnavailable(error));

/** Waits until a time for a promise that is never rejected. @returns undefined if the promise is still pending at that time */
async function within<T>(work: Promise<T>, untilMs: number): Promise<T | undefined> {
  if (untilMs === Number.POSITIVE_INFINITY) return work;
  const timer = new AbortController();
  const end = sleep(Math.max(0, untilMs - performance.now()), undefined, { signal: timer.signal });
  end.catch(() => undefined);
  try {
    return await Promise.race([work, end]);
  } finally {
    timer.abort();
  }
}
