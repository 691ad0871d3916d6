import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { activities, sessions } from "../../store/schema.js";
import { Id } from "../../wire/types.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { isVisibleSession } from "../squad-roles/view.js";
import { type PeriodRow, periodRowsOf } from "./period-rows.js";
import { storePeriods } from "./periods.js";
import { namesInPeriods, playersOf } from "./players.js";
import { SessionPeriods, toPeriods } from "./resource.js";
import { type Session, selectSessions, toSession } from "./rules.js";

export const PeriodsCopy = Type.Object(
  { from: Id({ description: "Id of one of your sessions" }) },
  { examples: [{ from: 4 }] },
);

export const CopiedPeriods = Type.Object(
  {
    periods: SessionPeriods,
    left_out: Type.Array(
      Type.Object({ name: Type.String(), athlete: Type.Integer(), player: Type.String() }),
      { description: "Rows of athletes who are not in the session: the period and the athlete" },
    ),
  },
  {
    $id: "CopiedPeriods",
    examples: [
      {
        periods: SessionPeriods.examples[0],
        left_out: [{ name: "2nd half", athlete: 22, player: "Cem Cole" }],
      },
    ],
  },
);

/**
 * Replaces the periods of a session with those of another session of the caller, at the same offsets from the start. Rows of
 * athletes who are not in the session are omitted.
 * @throws ServiceError `invalid`: unknown session, or periods that would end after the session; `too_many_timeframes`;
 * QuotaExceeded
 */
export async function copyPeriods(ctx: Context, { id }: Session, { from }: StaticDecode<typeof PeriodsCopy>) {
  return change(ctx, "copySessionPeriods", { session: id }, async (unit, session) => {
    const { queries } = unit;
    const [found] = await selectSessions(queries).where(
      and(
        eq(sessions.activityId, from),
        eq(activities.ownerId, session.ownerId),
        isVisibleSession(ctx, activities.id),
      ),
    );
    if (found === undefined) throw errors.field("from", "You have no session with this id.");
    const source = toSession(found);
    const rows = await periodRowsOf(queries, from);
    const players = new Set((await playersOf(queries, session)).map(({ athleteId }) => athleteId));
    const isOfSession = ({ athleteId }: PeriodRow) => athleteId === null || players.has(athleteId);
    const copied = rows
      .filter(isOfSession)
      .map(shiftedBy(session.startTime.getTime() - source.startTime.getTime()));
    requireEndWithin(copied, session);
    await storePeriods(unit, session, copied);
    const names = await namesInPeriods(queries, await playersOf(queries, source), rows);
    return {
      periods: toPeriods(copied),
      left_out: rows.flatMap(({ name, athleteId }) =>
        athleteId === null || players.has(athleteId)
          ? []
          : [{ name, athlete: athleteId, player: names.get(athleteId) ?? "" }],
      ),
    };
  });
}

const shiftedBy = (byMs: number) => {
  const shifted = (time: Date | null) => (time === null ? null : new Date(time.getTime() + byMs));
  return (row: PeriodRow): PeriodRow => ({
    ...row,
    startTime: shifted(row.startTime),
    endTime: shifted(row.endTime),
  });
};

/** @throws ServiceError `invalid` with the names of the periods that would end after the session */
function requireEndWithin(rows: readonly PeriodRow[], { endTime }: Session): void {
  const late = rows.filter((row) => row.endTime !== null && row.endTime > endTime);
  if (late.length === 0) return;
  const names = [...new Set(late.map(({ name }) => `"${name}"`))].join(", ");
  throw errors.field(
    "from",
    `These periods would end after the session, which ends at ${endTime.toISOString()}: ${names}. Make the session longer, or copy from another session.`,
  );
}
