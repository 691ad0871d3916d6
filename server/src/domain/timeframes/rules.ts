import { eq } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Lookup, Rule } from "../change/rule.js";
import { grantsOf } from "../permissions/coverage.js";

export type Timeframe = typeof timeframes.$inferSelect;

async function findTimeframe(id: number, { queries, lock }: Lookup): Promise<Timeframe> {
  const query = queries.select().from(timeframes).where(eq(timeframes.id, id));
  const [timeframe] = await (lock ? query.for("update") : query);
  if (timeframe === undefined) throw errors.notFound();
  return timeframe;
}

export const ownTimeframe: Rule<"timeframe", Timeframe> = {
  description: "The manager who owns the time frame",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const timeframe = await findTimeframe(ids.timeframe, lookup);
    if (timeframe.ownerId !== ctx.caller?.id) throw errors.forbidden();
    return timeframe;
  },
};

export const readableTimeframe: Rule<"timeframe", Timeframe> = {
  description: "Managers with READ permission on the athlete from the time frame's start to its end",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const timeframe = await findTimeframe(ids.timeframe, lookup);
    const { athleteId, startTime, endTime } = timeframe;
    const grants = await grantsOf(lookup.queries, ctx.caller?.id ?? 0, "READ", [timeframe]);
    if (!grants.cover(athleteId, startTime, endTime)) throw errors.forbidden();
    return timeframe;
  },
};
