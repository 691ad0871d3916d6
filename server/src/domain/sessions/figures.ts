import { lengthOf, united } from "asi-convert/squad";
import { eq } from "drizzle-orm";
import { sessionFigures } from "../../store/schema.js";
import { authorize } from "../change/access.js";
import type { PlayerFigures, PlayerPeriod } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { type Tagged, tagged } from "../change/entity-tags.js";
import { grantsOf } from "../permissions/coverage.js";
import type { View } from "../squad-roles/view.js";
import { type ComputedPlayer, computePlayer } from "./compute-player.js";
import {
  FIGURES_VERSION,
  framesOf,
  inputsOf,
  isOfSameFrames,
  playerPeriods,
  readFigures,
  type SessionFrame,
  staysValid,
} from "./figures-inputs.js";
import type { SessionPlayer } from "./players.js";
import type { SeenSession, Session } from "./rules.js";
import { type LeftOut, planOf, WHOLE } from "./wanted-timeframes.js";

/** A row of the table: a player in a period. */
export interface FiguresRow {
  player: SessionPlayer;
  /** Empty for the whole session. */
  period: string;
  found: PlayerFigures;
  /** Length of the period, ms; 0 if the player does not take part. */
  periodMs: number;
  /** Share of the period with data; null if the player does not take part. */
  coverage: number | null;
  timeframes: number[];
  computedAt: Date;
}

export interface FiguresTable extends Tagged {
  session: Session;
  rows: FiguresRow[];
  leftOut: (LeftOut & { player: SessionPlayer | undefined })[];
  /** Whether the caller may see heart data. */
  hasHeart: boolean;
}

/** Number of players of one request computed concurrently, so that other requests can run in between. */
const AT_A_TIME = 4;

/** Figures that are stored and still valid, by athlete. */
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

/** Maximum number of restarts because time frames have changed during the computation. */
const MAX_TRIES = 3;

/** The part of a session's table that the caller can read. Figures that are not stored, or are stale, are computed first. */
export async function sessionTable(ctx: Context, session: SeenSession, tries = 1): Promise<FiguresTable> {
  const plan = await planOf(ctx.queries, session);
  const frames = await framesOf(ctx.queries, session.id);
  const stored = await storedFigures(ctx, session);
  const { athleteId: only } = session.view;
  const players = plan.players.flatMap((player) => {
    if (only !== null && player.athleteId !== only) return [];
    const own = frames.filter(({ athleteId }) => athleteId === player.athleteId);
    const periods = playerPeriods(session, plan, player.athleteId, own);
    // A removed period keeps its time frames until the job that derives them has run.
    if (own.length === 0 || periods.length === 0) return [];
    return [{ player, own, periods, inputs: inputsOf(own, periods) }];
  });
  const computed = new Map<number, ComputedPlayer>();
  const missing: (() => Promise<void>)[] = [];
  for (const { player, own, inputs } of players) {
    const { athleteId } = player;
    const known = stored.get(athleteId);
    if (known !== undefined && staysValid(known.inputs, inputs, own)) computed.set(athleteId, known);
    else
      missing.push(async () => {
        computed.set(athleteId, await computePlayer(ctx, session, plan, player, inputs));
      });
  }
  for (let at = 0; at < missing.length; at += AT_A_TIME) {
    await Promise.all(missing.slice(at, at + AT_A_TIME).map((compute) => compute()));
  }
  // Other time frames may have other players and times, whose rights would not be checked.
  for (const { player, inputs } of players) {
    if (isOfSameFrames(computed.get(player.athleteId)?.inputs ?? "", inputs)) continue;
    if (tries < MAX_TRIES) return sessionTable(ctx, session, tries + 1);
    computed.delete(player.athleteId);
  }
  // Read last, because the computations may take a long time.
  const { view } = await authorize(ctx, "retrieveSessionFigures", { session: session.id });
  const grants = await grantsOf(
    ctx.queries,
    session.ownerId,
    "READ",
    players.map(({ player }) => player.athleteId),
  );
  const isReadable = ({ athleteId, startTime, endTime }: SessionFrame) =>
    grants.cover(athleteId, startTime, endTime);
  const rows = players.flatMap(({ player, own, periods }) =>
    rowsOf(player, own, periods, computed.get(player.athleteId), isReadable),
  );
  const playedMs = 1000 * lengthOf(united(rows.flatMap(({ found }) => found.seconds.map(asInterval))));
  const shown = rows.map((row) => (row.period === WHOLE ? asWhole(row, playedMs) : row));
  const byId = new Map(plan.players.map((player) => [player.athleteId, player]));
  const leftOut =
    only === null ? plan.leftOut.map((one) => ({ ...one, player: byId.get(one.athleteId) })) : [];
  const { hasHeart } = view;
  return { session, rows: shown, leftOut, hasHeart, ...tagOf(session, view, shown, leftOut, computed) };
}

const asInterval = ([startMs, endMs]: [number, number]) => ({ startMs, endMs });

/** The length of the whole session is the time with data of any player, as in `asi squad`. */
function asWhole(row: FiguresRow, playedMs: number): FiguresRow {
  const { recordedMs } = row.found;
  const coverage = playedMs === 0 ? null : recordedMs === null ? 0 : Math.min(1, recordedMs / playedMs);
  return { ...row, periodMs: playedMs, coverage };
}

function rowsOf(
  player: SessionPlayer,
  frames: readonly SessionFrame[],
  periods: readonly PlayerPeriod[],
  computed: ComputedPlayer | undefined,
  isReadable: (frame: SessionFrame) => boolean,
): FiguresRow[] {
  if (computed === undefined) return [];
  return periods.flatMap(({ period, periodMs }) => {
    const own = frames.filter((frame) => frame.period === period);
    const found = computed.byPeriod.get(period);
    if (found === undefined || !own.every(isReadable)) return [];
    const { recordedMs } = found;
    const coverage = periodMs === 0 ? null : recordedMs === null ? 0 : Math.min(1, recordedMs / periodMs);
    return [
      {
        player,
        period,
        found,
        periodMs,
        coverage,
        timeframes: own.map(({ id }) => id),
        computedAt: computed.computedAt,
      },
    ];
  });
}

function tagOf(
  session: Session,
  view: View,
  rows: readonly FiguresRow[],
  leftOut: FiguresTable["leftOut"],
  computed: ReadonlyMap<number, ComputedPlayer>,
): Tagged {
  const shown = rows.map(({ player: { athleteId, name, number, position }, period, computedAt }) => [
    athleteId,
    name,
    number,
    position,
    period,
    computedAt.getTime(),
    computed.get(athleteId)?.inputs,
  ]);
  return tagged(
    [
      FIGURES_VERSION,
      view,
      shown,
      leftOut.map(({ athleteId, period, reason }) => [athleteId, period, reason]),
    ],
    session.version,
  );
}
