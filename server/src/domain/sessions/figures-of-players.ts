import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { sessionFigures } from "../../store/schema.js";
import type { PlayerFigures, PlayerPeriod } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { type ComputedPlayer, computePlayer } from "./compute-player.js";
import {
  framesOf,
  inputsOf,
  isOfSameFrames,
  playerPeriods,
  readFigures,
  type SessionFrame,
  staysValid,
} from "./figures-inputs.js";
import type { SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";
import { planOf, type SessionPlan } from "./wanted-timeframes.js";

/** A player with time frames in a session, and the current inputs of the figures. */
interface PlayerOfTable {
  player: SessionPlayer;
  own: SessionFrame[];
  periods: PlayerPeriod[];
  inputs: string;
}

interface FiguresOfPlayers {
  plan: SessionPlan;
  players: PlayerOfTable[];
  /** Current figures by athlete; those that are still being computed are missing. */
  computed: ReadonlyMap<number, ComputedPlayer>;
  /** Number of players whose figures were not stored, or stale. */
  stale: number;
}

/** Number of players of one request computed concurrently, so that other requests can run in between. */
const AT_A_TIME = 4;

/** Maximum number of restarts because time frames have changed during the computation. */
const MAX_TRIES = 3;

/**
 * The figures of the players of a session: stored figures that are still valid, and others as far as they are computed in time.
 * A computation that has begun continues afterwards, and its result is stored.
 * @param untilMs no computation begins or is awaited after this time, by `performance.now()`
 * @param only the only player; null: all
 */
export async function figuresUntil(
  ctx: Context,
  session: Session,
  untilMs: number,
  only: number | null,
  tries = 1,
): Promise<FiguresOfPlayers> {
  const plan = await planOf(ctx.queries, session);
  const frames = await framesOf(ctx.queries, session.id);
  const stored = await storedFigures(ctx, session);
  const players = plan.players.flatMap((player) => {
    if (only !== null && player.athleteId !== only) return [];
    const own = frames.filter(({ athleteId }) => athleteId === player.athleteId);
    const periods = playerPeriods(session, plan, player.athleteId, own);
    // A removed period keeps its time frames until the job that derives them has run.
    if (own.length === 0 || periods.length === 0) return [];
    return [{ player, own, periods, inputs: inputsOf(own, periods) }];
  });
  const computed = new Map<number, ComputedPlayer>();
  const missing: PlayerOfTable[] = [];
  for (const one of players) {
    const { athleteId } = one.player;
    const known = stored.get(athleteId);
    if (known !== undefined && staysValid(known.inputs, one.inputs, one.own)) computed.set(athleteId, known);
    else missing.push(one);
  }
  const compute = async ({ player, inputs }: PlayerOfTable) => {
    computed.set(player.athleteId, await computePlayer(ctx, session, plan, player, inputs));
  };
  for (let at = 0; at < missing.length && performance.now() < untilMs; at += AT_A_TIME) {
    await within(Promise.all(missing.slice(at, at + AT_A_TIME).map(compute)), untilMs);
  }
  // Other time frames may have other players and times, whose rights would not be checked.
  for (const { player, inputs } of players) {
    const found = computed.get(player.athleteId);
    if (found === undefined || isOfSameFrames(found.inputs, inputs)) continue;
    if (tries < MAX_TRIES) return figuresUntil(ctx, session, untilMs, only, tries + 1);
    computed.delete(player.athleteId);
  }
  // A copy, because computations that are not awaited would add to the table while it is written.
  return { plan, players, computed: new Map(computed), stale: missing.length };
}

/** Waits for work, at most until a time. */
async function within(work: Promise<unknown>, untilMs: number): Promise<void> {
  if (untilMs === Number.POSITIVE_INFINITY) {
    await work;
    return;
  }
  const timer = new AbortController();
  // The job that continues the work reports its error.
  work.catch(() => undefined);
  const late = sleep(Math.max(0, untilMs - performance.now()), undefined, { signal: timer.signal });
  late.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

/** Figures that are stored, by athlete. */
async function storedFigures({ queries }: Context, session: Session): Promise<Map<number, ComputedPlayer>> {
  const rows = await queries.select().from(sessionFigures).where(eq(sessionFigures.sessionId, session.id));
  const found = new Map<number, ComputedPlayer & { byPeriod: Map<string, PlayerFigures> }>();
  for (const { athleteId, inputs, computedAt, period, figures } of rows) {
    const known = found.get(athleteId) ?? { inputs, computedAt, byPeriod: new Map() };
    found.set(athleteId, known);
    known.byPeriod.set(period, readFigures(figures));
  }
  return found;
}
