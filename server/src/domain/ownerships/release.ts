import { eq, sql } from "drizzle-orm";
import { deleteSamplesFrom, sqlClientOf } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";
import { change } from "../change.js";
import type { Context } from "../context.js";

/**
 * Ends the caller's ownership of the device now. A device's clock may be ahead of the server's: what was stored of times
 * at or after this moment is removed, for it would be the next owner's to read.
 */
export async function releaseOwnership(ctx: Context, device: number): Promise<void> {
  await change(ctx, "releaseOwnership", { device }, async (unit, { ownership }) => {
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
    await deleteSamplesFrom(sqlClientOf(unit.queries), device, endMs);
    await unit.announce("ownershipChanged", { before: ownership, after: ended });
  });
}
