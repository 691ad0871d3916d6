import { parametersIn, type Sport } from "asi-convert/metrics";
import { and, eq } from "drizzle-orm";
import { currentCaller, jobGroupOf } from "../../fairness/callers.js";
import type { Queries } from "../../store/connection/database.js";
import { readStored, sqlClientOf } from "../../store/samples/index.js";
import {
  accounts,
  activities,
  jsonSchemas,
  sessionFigures,
  sessions,
  sessionTimeframes,
  timeframes,
} from "../../store/schema.js";
import type { EnterRoom, PlayerTracker, Waiter } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { hasRoomForFigures } from "../change/quotas.js";
import { untilUnchanged } from "../computed-data/input-lock.js";
import { RULES_VERSION } from "../computed-data/rules-version.js";
import { requireFewRead, requireFewStored } from "../computed-data/sample-limit.js";
import { sportOf } from "../json-schemas/sport.js";
import { intersect } from "../sample-ownership/intervals.js";
import { readOwned } from "../sample-ownership/owners.js";
import { forgetFailure } from "./failed-figures.js";
import {
  asPlayerPeriod,
  type FramedPeriod,
  framesOf,
  idsOf,
  inputsOf,
  intervalsOf,
  isKept,
  playerPeriods,
  type SessionFrame,
} from "./figures-inputs.js";
import { periodRowsOf, periodsOfRows } from "./period-rows.js";
import type { SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";
import {
  type ComputedPlayer,
  type PeriodFigures,
  storedFigures,
  storedInputs,
  storedTexts,
} from "./stored-figures.js";
import type { SessionPlan } from "./wanted-timeframes.js";

/** Returns the caller that waits for a computation. @param ownerId account charged for work of the service itself */
export const waiterOf = ({ caller, serverKey, signal }: Context, ownerId: number): Waiter => ({
  account: caller?.id ?? ownerId,
  group: jobGroupOf(currentCaller(), serverKey),
  signal,
});

/** Computes the figures of a player in a session in a thread, and stores them. Requests for the same inputs share one computation. */
export async function computePlayer(
  ctx: Context,
  session: Session,
  plan: SessionPlan,
  player: SessionPlayer,
  inputs: string,
): Promise<ComputedPlayer> {
  return ctx.computer.share(
    `session ${session.id}/${player.athleteId}/${inputs}`,
    waiterOf(ctx, session.ownerId),
    async (enter) => {
      // Another process, or a job, may have computed them while this computation waited.
      const stored = await storedOf(ctx.queries, session, plan, player);
      if (stored !== undefined) return stored;
      const computed = await computeNow(ctx, session, plan, player, enter);
      const isOfPlayer = and(
        eq(sessionFigures.sessionId, session.id),
        eq(sessionFigures.athleteId, player.athleteId),
      );
      // Replaced figures do not count towards the quota.
      const added = computed.byPeriod.size - (await ctx.queries.$count(sessionFigures, isOfPlayer));
      if (added <= 0 || (await hasRoomForFigures(ctx, session.ownerId, added)))
        await store(ctx, session, player, computed);
      return computed;
    },
  );
}

/** Returns the stored figures of the player, if they are current. */
async function storedOf(
  queries: Queries,
  session: Session,
  plan: Pick<SessionPlan, "periods">,
  { athleteId }: SessionPlayer,
): Promise<ComputedPlayer | undefined> {
  const stored = (await storedFigures(queries, session.id, athleteId)).get(athleteId);
  if (stored === undefined) return undefined;
  const frames = await framesOf(queries, session.id, athleteId);
  const inputs = inputsOf(frames, playerPeriods(session, plan, athleteId, frames));
  return stored.inputs === inputs ? stored : undefined;
}

/**
 * Reads the current time frames of the player, then their samples, and computes. If retention has removed samples of a period, its
 * stored figures remain, and without stored figures it has no data, because figures of the other samples would look complete.
 */
async function computeNow(
  ctx: Context,
  session: Session,
  plan: SessionPlan,
  player: SessionPlayer,
  enter: EnterRoom,
): Promise<ComputedPlayer> {
  const { queries, clock, computer } = ctx;
  const { athleteId } = player;
  const frames = await framesOf(queries, session.id, athleteId);
  const periods = playerPeriods(session, plan, athleteId, frames);
  const deviceIds = [...new Set(frames.map(({ deviceId }) => deviceId))];
  await untilUnchanged(queries, [
    { athleteId },
    { activityId: session.id },
    ...deviceIds.map((deviceId) => ({ deviceId })),
  ]);
  const { birthDate, preset } = await otherInputs(queries, session, player);
  const name = `player ${player.name}`;
  await enter(await requireFewStored(queries, name, frames));
  const trackers: PlayerTracker[] = [];
  for (const deviceId of deviceIds) {
    trackers.push(await trackerOf(ctx, session, deviceId, frames));
  }
  requireFewRead(
    name,
    trackers.flatMap(({ chunks }) => chunks),
  );
  // Read after the samples, because retention may have removed some meanwhile.
  const after = new Map((await framesOf(queries, session.id, athleteId)).map((frame) => [frame.id, frame]));
  const isLost = ({ own }: FramedPeriod) => own.some(({ id }) => after.get(id)?.isLost === true);
  const kept = await keptOf(
    ctx,
    session,
    player,
    periods.map((period) => ({
      ...period,
      own: period.own.map((frame) => after.get(frame.id) ?? frame),
    })),
  );
  const computed = await computer.computePlayer({
    trackers,
    name: player.name,
    birthDate,
    preset,
    params: parametersIn(paramsOf([...after.values()]) ?? player.params),
    periods: periods
      .filter(({ period }) => !kept.has(period))
      .map((period) => asPlayerPeriod(isLost(period) ? { ...period, intervals: [] } : period)),
  });
  const made = { computedAt: clock.now(), rulesVersion: RULES_VERSION };
  const byPeriod = new Map(
    periods.flatMap((one) => {
      const { period, periodMs } = one;
      const found = computed.get(period);
      // Without data because of lost samples, the figures include no samples of the time frames.
      const own = isLost(one) ? "" : idsOf(one.own);
      const figures = kept.get(period) ?? (found && { ...found, ...made, periodMs, own });
      return figures === undefined ? [] : [[period, figures] as const];
    }),
  );
  return { inputs: inputsOf(frames, periods), byPeriod };
}

/** Returns the params for new figures. A time frame that lacks samples may have older ones, because it remains when they change. */
const paramsOf = (frames: readonly SessionFrame[]): SessionFrame["params"] | undefined =>
  (frames.find(({ isLost }) => !isLost) ?? frames[0])?.params;

/** The stored figures that must not be computed again, by period. */
async function keptOf(
  { queries }: Context,
  session: Session,
  { athleteId }: SessionPlayer,
  periods: readonly FramedPeriod[],
): Promise<ReadonlyMap<string, PeriodFigures>> {
  const stored = (await storedFigures(queries, session.id, athleteId)).get(athleteId)?.byPeriod;
  return new Map(
    periods.flatMap(({ period, own }) => {
      const figures = stored?.get(period);
      return figures !== undefined && isKept(figures.own, own) ? [[period, figures] as const] : [];
    }),
  );
}

/**
 * Reads the inputs that time frames do not copy, because `session` and `player` may be older than the time frames. Returns the
 * older values if the session or the account has been deleted. The figures are not stored then.
 */
async function otherInputs(
  queries: Queries,
  session: Session,
  player: SessionPlayer,
): Promise<{ birthDate: string | null; preset: Sport }> {
  const [row] = await queries
    .select({ birthDate: accounts.birthDate, schemaName: jsonSchemas.name })
    .from(activities)
    .innerJoin(jsonSchemas, eq(jsonSchemas.id, activities.jsonSchemaId))
    .innerJoin(accounts, eq(accounts.id, player.athleteId))
    .where(eq(activities.id, session.id));
  if (row === undefined) return { birthDate: player.birthDate, preset: session.sport };
  return { birthDate: row.birthDate, preset: sportOf(row.schemaName) };
}

async function trackerOf(
  ctx: Context,
  session: Session,
  deviceId: number,
  frames: readonly SessionFrame[],
): Promise<PlayerTracker> {
  const { queries } = ctx;
  const own = frames.filter((frame) => frame.deviceId === deviceId);
  const wanted = intervalsOf(own).map(({ startMs, endMs }) => ({ startMs, stopMs: endMs - 1 }));
  const within = { startMs: wanted[0]?.startMs ?? 0, stopMs: wanted.at(-1)?.stopMs ?? 0 };
  const owner = { deviceId, ownerId: session.ownerId };
  const { owned, found: chunks } = await readOwned(queries, owner, within, () =>
    readStored(sqlClientOf(queries), deviceId, within),
  );
  return { deviceId, serial: own[0]?.serial ?? "", chunks, times: intersect(wanted, owned) };
}

/** Stores the figures, unless the time frames or their data have changed. */
async function store(
  { queries }: Context,
  session: Session,
  { athleteId }: SessionPlayer,
  { inputs, byPeriod }: ComputedPlayer,
): Promise<void> {
  await queries.transaction(async (tx) => {
    // Versions do not change while they are locked, so two computations of the player do not mix their rows.
    await tx
      .select({ id: timeframes.id })
      .from(timeframes)
      .innerJoin(sessionTimeframes, eq(sessionTimeframes.timeframeId, timeframes.id))
      .where(and(eq(sessionTimeframes.sessionId, session.id), eq(timeframes.athleteId, athleteId)))
      .orderBy(timeframes.id)
      .for("no key update", { of: timeframes });
    const frames = await framesOf(tx, session.id, athleteId);
    if (frames.length === 0) return;
    // The times and the periods may have changed since the computation began. A change after this statement adds a job, which waits
    // for this transaction because of the time frames.
    const { startTime, endTime } = sessions;
    const isSession = eq(sessions.activityId, session.id);
    const [times] = await tx.select({ startTime, endTime }).from(sessions).where(isSession);
    const periods = periodsOfRows(await periodRowsOf(tx, session.id));
    const current = playerPeriods({ ...session, ...times }, { periods }, athleteId, frames);
    if (inputsOf(frames, current) !== inputs) return;
    // Another process may have stored them. Retention may have removed samples since then, so its figures remain.
    const stored = (await storedFigures(tx, session.id, athleteId)).get(athleteId);
    if (stored?.inputs === inputs) return;
    const isOfPlayer = and(eq(sessionFigures.sessionId, session.id), eq(sessionFigures.athleteId, athleteId));
    await tx.delete(sessionFigures).where(isOfPlayer);
    await forgetFailure(tx, { sessionId: session.id, athleteId });
    if (byPeriod.size === 0) return;
    await tx
      .insert(sessionFigures)
      .values(
        [...byPeriod].map(([period, figures]) => ({
          sessionId: session.id,
          athleteId,
          period,
          inputs: storedInputs(inputs, figures.own),
          ...storedTexts(figures),
          periodMs: figures.periodMs,
          computedAt: figures.computedAt,
          rulesVersion: figures.rulesVersion,
        })),
      )
      .onConflictDoNothing();
  });
}
