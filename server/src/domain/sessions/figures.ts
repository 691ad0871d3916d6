import { isDeepStrictEqual } from "node:util";
import { lengthOf, united } from "asi-convert/squad";
import { tableNote } from "asi-convert/squad-report";
import { authorize } from "../change/access.js";
import { transact } from "../change/change.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { type Tagged, tagged } from "../change/entity-tags.js";
import { groupBy } from "../change/group-by.js";
import { queueUnlessQueued } from "../computed-data/queue.js";
import { type Grants, grantsOf } from "../permissions/coverage.js";
import type { View } from "../squad-roles/view.js";
import { WHOLE } from "./derivation-inputs.js";
import { FIGURES_VERSION, type FramedPeriod, idsOf, type SessionFrame } from "./figures-inputs.js";
import { figuresUntil, type PlayerOfTable } from "./figures-of-players.js";
import { namesWanted, type WantedColumns } from "./optional-columns.js";
import type { SessionPlayer } from "./players.js";
import { countsInLength, isReadableRow } from "./readable-rows.js";
import { incompletePlayers } from "./refused-derivations.js";
import type { SeenSession, Session } from "./rules.js";
import { type ComputedPlayer, shareOf } from "./stored-figures.js";
import { waitingDerivations } from "./waiting-work.js";
import type { LeftOut } from "./wanted-timeframes.js";

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
  /** Ids of the time frames whose samples count. */
  timeframes: number[];
  /** Devices worn at the same time as another one with more data, by serial number. */
  leftOut: ReadonlyMap<string, readonly Pick<SessionFrame, "id">[]>;
  computedAt: Date;
}

export interface FiguresTable extends Tagged {
  session: Session;
  rows: FiguresRow[];
  leftOut: (Omit<LeftOut, "reason"> & {
    reason: LeftOut["reason"] | "no_read_permission" | "not_computable" | "limit_reached" | "samples_removed";
    player: SessionPlayer | undefined;
  })[];
  /** Players whose rows are missing or may change, because their figures or time frames are being computed. */
  computing: SessionPlayer[];
  /** What the rows of the match lack; null if they lack nothing, and without such rows. */
  matchNote: string | null;
  /** Whether the caller may see heart data. */
  hasHeart: boolean;
  /** Optional figures that the table includes. */
  wanted: WantedColumns;
}

interface TableOptions {
  /**
   * Seconds after which the table is returned without the players whose figures are still being computed; a job computes the
   * rest. Default: no limit.
   */
  waitS?: number | undefined;
  /** Default: none. */
  wanted?: WantedColumns;
}

/** Returns the part of a session's table that the caller can read. Missing and stale figures are computed first. */
export async function sessionTable(
  ctx: Context,
  session: SeenSession,
  { waitS, wanted = {} }: TableOptions = {},
): Promise<FiguresTable> {
  const untilMs = waitS === undefined ? Number.POSITIVE_INFINITY : performance.now() + 1000 * waitS;
  const only = session.view.athleteId;
  // Read this first. A derivation that ends during the request may have changed time frames that the request had
  // already read.
  const isWaiting = await waitingDerivations(ctx.queries, session);
  const isSeen = ({ athleteId }: SessionPlayer) => only === null || athleteId === only;
  const { plan, players: all, computed, failed } = await figuresUntil(ctx, session, { untilMs, only });
  const missing = all.filter(
    ({ player: { athleteId } }) => !computed.has(athleteId) && !failed.has(athleteId),
  );
  if (missing.some(({ player }) => isSeen(player))) {
    await transact(ctx, "session figures", (unit) => queueUnlessQueued(unit, session));
  }
  // Check the right again, because the computations may take a long time.
  const { view } = await authorize(ctx, "retrieveSessionFigures", { session: session.id });
  const grants = await grantsOf(
    ctx.queries,
    session.ownerId,
    "READ",
    all.flatMap(({ own }) => own),
  );
  const isPartlyReadable = (own: readonly SessionFrame[]) =>
    own.some((frame) => isReadableRow(grants, frame.athleteId, [frame]));
  const rows = all.flatMap(({ player, periods }) =>
    rowsOf(player, periods, computed.get(player.athleteId), grants),
  );
  const players = all.filter(({ player }) => isSeen(player));
  const playedMs = 1000 * lengthOf(united(rows.flatMap(({ found }) => found.seconds.map(asInterval))));
  const isIncomplete = (await incompletePlayers(ctx.queries, [session.id])).get(session.id);
  const counts = ({ player, periods }: PlayerOfTable) =>
    countsInLength(grants, player.athleteId, periods.find(({ period }) => period === WHOLE)?.own ?? []);
  const isComplete =
    !missing.some(counts) &&
    !all.some((one) => failed.has(one.player.athleteId) && counts(one)) &&
    isIncomplete === undefined;
  const shown = rows
    .filter(({ player }) => isSeen(player))
    .map((row) => (row.period === WHOLE ? asWhole(row, playedMs, isComplete) : row));
  const byId = new Map(plan.players.map((player) => [player.athleteId, player]));
  const notComputable = players.flatMap(({ player, own }) =>
    failed.has(player.athleteId) && isPartlyReadable(own)
      ? [{ athleteId: player.athleteId, player, period: WHOLE, reason: "not_computable" as const }]
      : [],
  );
  const withoutSamples =
    only === null ? plan.leftOut.map((one) => ({ ...one, player: byId.get(one.athleteId) })) : [];
  const visible = plan.players.filter(isSeen);
  const framesOf = new Map(players.map(({ player, own }) => [player.athleteId, own]));
  const limited = visible
    .filter(({ athleteId }) => isIncomplete?.has(athleteId) === true && !isWaiting(athleteId))
    .map((player) => ({
      athleteId: player.athleteId,
      player,
      period: WHOLE,
      reason: "limit_reached" as const,
    }));
  const removed = players.flatMap((one) => removedOf(one, computed.get(one.player.athleteId), grants));
  const unreadable = players.flatMap((one) => unreadableOf(one, grants));
  const leftOut = [...withoutSamples, ...unreadable, ...notComputable, ...limited, ...removed];
  const isLeftOut = new Set(
    plan.leftOut.flatMap(({ athleteId, period }) => (period === WHOLE ? [athleteId] : [])),
  );
  const isMissing = new Set(missing.map(({ player }) => player.athleteId));
  const computing = visible.filter(({ athleteId }) => {
    const own = framesOf.get(athleteId);
    if (own !== undefined) return (isMissing.has(athleteId) || isWaiting(athleteId)) && isPartlyReadable(own);
    return isWaiting(athleteId) && !isLeftOut.has(athleteId);
  });
  const { hasHeart } = view;
  const matchNote = tableNote(plan.periods);
  const tag = tagOf(session, view, shown, { leftOut, computing, matchNote, wanted }, computed);
  return { session, rows: shown, leftOut, computing, matchNote, hasHeart, wanted, ...tag };
}

/** The periods that the owner of the session may not read; the whole session if it may read none of them. */
function unreadableOf({ player, periods }: PlayerOfTable, grants: Grants) {
  const withFrames = periods.filter(({ own }) => own.length > 0);
  if (withFrames.length === 0) return [];
  const unreadable = withFrames.filter(({ own }) => !isReadableRow(grants, player.athleteId, own));
  const named = unreadable.length < withFrames.length ? unreadable.map(({ shownAs }) => shownAs) : [WHOLE];
  return named.flatMap((period) =>
    period === null
      ? []
      : [{ athleteId: player.athleteId, player, period, reason: "no_read_permission" as const }],
  );
}

/** The periods whose figures lack samples that retention has removed, or were computed with former thresholds or devices. */
const removedOf = (
  { player, periods }: PlayerOfTable,
  computed: ComputedPlayer | undefined,
  grants: Grants,
) =>
  periods.flatMap(({ period, shownAs, own }) => {
    const found = computed?.byPeriod.get(period);
    const isRemoved =
      found !== undefined && own.some(({ isLost }) => isLost) && isReadableRow(grants, player.athleteId, own);
    if (!isRemoved || shownAs === null) return [];
    const isCurrent =
      found.own === idsOf(own) && own.every(({ params }) => isDeepStrictEqual(params, player.params));
    return isCurrent
      ? []
      : [{ athleteId: player.athleteId, player, period: shownAs, reason: "samples_removed" as const }];
  });

const asInterval = ([startMs, endMs]: [number, number]) => ({ startMs, endMs });

/**
 * Sets the length of the whole session, which is the time with data of any player, as in `asi squad`. Without the figures of all
 * players, neither the length nor the share of a player is known.
 */
function asWhole(row: FiguresRow, playedMs: number, isComplete: boolean): FiguresRow {
  return {
    ...row,
    periodMs: playedMs,
    coverage: isComplete ? shareOf(row.found.recordedMs, playedMs) : null,
  };
}

function rowsOf(
  player: SessionPlayer,
  periods: readonly FramedPeriod[],
  computed: ComputedPlayer | undefined,
  grants: Grants,
): FiguresRow[] {
  if (computed === undefined) return [];
  return periods.flatMap(({ period, shownAs, periodMs, own }) => {
    const found = computed.byPeriod.get(period);
    if (found === undefined || shownAs === null || !isReadableRow(grants, player.athleteId, own)) return [];
    const isLeftOut = ({ serial }: SessionFrame) => ` ${found.cells.left_out ?? ""} `.includes(` ${serial} `);
    return [
      {
        player,
        period: shownAs,
        found,
        periodMs,
        coverage: shareOf(found.recordedMs, periodMs),
        timeframes: own.filter((frame) => !isLeftOut(frame)).map(({ id }) => id),
        leftOut: groupBy(own.filter(isLeftOut), ({ serial }) => serial),
        computedAt: found.computedAt,
      },
    ];
  });
}

function tagOf(
  session: Session,
  view: View,
  rows: readonly FiguresRow[],
  {
    leftOut,
    computing,
    matchNote,
    wanted,
  }: Pick<FiguresTable, "leftOut" | "computing" | "matchNote" | "wanted">,
  computed: ReadonlyMap<number, ComputedPlayer>,
): Tagged {
  const names = namesWanted(wanted);
  const about = (player?: SessionPlayer) => [
    player?.athleteId,
    player?.name,
    player?.number,
    player?.position,
  ];
  const shown = rows.map(({ player, period, computedAt, periodMs, coverage }) => {
    const inputs = computed.get(player.athleteId)?.inputs;
    return [...about(player), period, computedAt.getTime(), inputs, periodMs, coverage];
  });
  return tagged(
    [
      FIGURES_VERSION,
      view,
      shown,
      leftOut.map(({ athleteId, player, period, reason }) => [athleteId, ...about(player), period, reason]),
      computing.map(about),
      matchNote,
      ...(names.length === 0 ? [] : [names]),
    ],
    session.version,
  );
}
