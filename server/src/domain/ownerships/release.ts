import { eq, sql } from "drizzle-orm";
import { ownerships } from "../../store/schema.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import type { UnitOfWork } from "../unit-of-work.js";
import type { Ownership } from "./rules.js";

/** Ends the caller's ownership of the device now. */
export async function releaseOwnership(ctx: Context, device: number): Promise<void> {
  await change(ctx, "releaseOwnership", { device }, (unit, { ownership }) => endOwnership(unit, ownership));
}

/** Ends an ownership now. */
export async function endOwnership(unit: UnitOfWork, ownership: Ownership): Promise<void> {
  const endMs = Math.max(unit.now.getTime(), ownership.startTime.getTime());
  const [ended] = await unit.queries
    .update(ownerships)
    .set({
      endTime: new Date(endMs),
      version: sql`${ownerships.version} + 1`,
    })
    .where(eq(ownerships.id, ownership.id))
    .returning();
  if (ended === undefined) throw new Error("The ownership was not ended");
  await unit.announce("ownershipChanged", { before: ownership, after: ended });
}
