import { eq, sql } from "drizzle-orm";
import { sessions, squads } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceSquadQuota } from "../change/quotas.js";
import { type NewSquad, squadItem } from "./resource.js";

/** @throws ServiceError `quota_exceeded` */
export async function createSquad(ctx: Context, { name }: NewSquad) {
  return change(ctx, "createSquad", {}, async (unit) => {
    const ownerId = ctx.caller?.id ?? 0;
    const [after] = await unit.queries
      .insert(squads)
      .values({ name, ownerId, createdAt: unit.now })
      .returning();
    if (after === undefined) throw new Error("The squad was not inserted");
    await enforceSquadQuota(unit, ownerId);
    await unit.announce("squadChanged", { before: null, after });
    return squadItem(after);
  });
}

export async function updateSquad(ctx: Context, squad: number, { name }: NewSquad) {
  return change(
    ctx,
    "updateSquad",
    { squad },
    async ({ queries, announce }, before) => {
      if (name === before.name) return squadItem(before);
      const [after] = await queries
        .update(squads)
        .set({ name, version: sql`${squads.version} + 1` })
        .where(eq(squads.id, before.id))
        .returning();
      if (after === undefined) throw errors.notFound();
      await announce("squadChanged", { before, after });
      return squadItem(after);
    },
    (_unit, target) => squadItem(target),
  );
}

/**
 * Deletes a squad with its members. Its athletes remain.
 * @throws ServiceError `squad_in_use`
 */
export async function deleteSquad(ctx: Context, squad: number): Promise<void> {
  await change(
    ctx,
    "deleteSquad",
    { squad },
    async ({ queries, announce }, before) => {
      const uses = await queries.$count(sessions, eq(sessions.squadId, before.id));
      if (uses > 0) {
        throw errors.conflict(
          "squad_in_use",
          `The squad has ${uses} ${uses === 1 ? "session" : "sessions"}. Delete these first.`,
        );
      }
      await announce("squadChanged", { before, after: null });
      await queries.delete(squads).where(eq(squads.id, before.id));
    },
    (_unit, target) => squadItem(target),
  );
}
