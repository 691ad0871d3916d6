import { and, eq, inArray } from "drizzle-orm";
import { type Interval, instantsOf } from "../../store/samples/index.js";
import { timeframes } from "../../store/schema.js";
import { groupBy } from "../change/group-by.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { overlaps } from "../sample-ownership/overlapping-frames.js";
import { assignmentTime } from "../timeframes/assignment-time.js";
import { WHOLE } from "./derivation-inputs.js";
import type { Session } from "./rules.js";
import type { WantedTimeframe } from "./wanted-timeframes.js";

type Place = Omit<WantedTimeframe, "params">;
type Former = Place & { assignedAt: Date };

/** The part of a session that a time frame covers. */
export const placeOf = ({ athleteId, deviceId, period, startTime, endTime }: Place): string =>
  JSON.stringify([athleteId, deviceId, period, startTime.getTime(), endTime.getTime()]);

const timeOf = (one: Place): string => placeOf({ ...one, period: WHOLE });

const wearerOf = ({ athleteId, deviceId, period }: Place): string =>
  JSON.stringify([athleteId, deviceId, period]);

/** A time frame whose age another one can have, and the times that only the other one contains. */
interface Predecessor {
  former: Former;
  added: Interval[];
}

/**
 * Returns new time frames of a session with their ages. One has the age of a former one with the same athlete, device and times, or of
 * one that it extends or shortens, so that it assigns the same samples. One that is extended into time frames of other athletes on the
 * device is new, because it would take their samples.
 * @param former time frames of the session that were deleted or remain
 */
export async function withAges<One extends WantedTimeframe>(
  unit: UnitOfWork,
  { ownerId }: Session,
  former: readonly Former[],
  added: readonly One[],
): Promise<(One & { assignedAt: Date })[]> {
  const oldestFirst = [...former].sort((a, b) => a.assignedAt.getTime() - b.assignedAt.getTime());
  const same = new Map(oldestFirst.toReversed().map((one) => [timeOf(one), one.assignedAt]));
  const ofWearer = groupBy(oldestFirst, wearerOf);
  const predecessors = new Map<One, Predecessor>();
  for (const one of added) {
    const before = ofWearer
      .get(wearerOf(one))
      ?.find(({ startTime, endTime }) => startTime <= one.endTime && endTime >= one.startTime);
    if (before !== undefined && !same.has(timeOf(one)))
      predecessors.set(one, { former: before, added: timesAdded(one, before) });
  }
  const others = await othersIn(unit, ownerId, predecessors);
  const ageOf = (one: One): Date | undefined => {
    const found = predecessors.get(one);
    const isTaking =
      found !== undefined &&
      found.added.length > 0 &&
      others.get(one.deviceId)?.some(({ athleteId }) => athleteId !== one.athleteId);
    return same.get(timeOf(one)) ?? (isTaking ? undefined : found?.former.assignedAt);
  };
  const isNew = (one: One) => ageOf(one) === undefined;
  const now = await assignmentTime(
    unit,
    added.filter(isNew).map((one) => ({ ...one, ownerId })),
  );
  return added.map((one) => ({ ...one, assignedAt: ageOf(one) ?? now }));
}

function timesAdded(one: Place, before: Place): Interval[] {
  const [startMs, stopMs] = [one.startTime.getTime(), one.endTime.getTime()];
  return [
    { startMs, stopMs: before.startTime.getTime() - 1 },
    { startMs: before.endTime.getTime() + 1, stopMs },
  ].filter((time) => time.startMs <= time.stopMs);
}

/** The athletes with time frames at any of the added times, by device. */
async function othersIn(
  { queries }: UnitOfWork,
  ownerId: number,
  predecessors: ReadonlyMap<Place, Predecessor>,
) {
  const extended = [...predecessors].filter(([, { added }]) => added.length > 0);
  if (extended.length === 0) return new Map<number, { athleteId: number }[]>();
  const devices = [...new Set(extended.map(([{ deviceId }]) => deviceId))];
  const { deviceId, athleteId } = timeframes;
  const rows = await queries
    .selectDistinct({ deviceId, athleteId })
    .from(timeframes)
    .where(
      and(
        inArray(deviceId, devices),
        eq(timeframes.ownerId, ownerId),
        overlaps(instantsOf(extended.flatMap(([, { added }]) => added))),
      ),
    );
  return groupBy(rows, (row) => row.deviceId);
}
