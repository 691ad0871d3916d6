import { eq, sql } from "drizzle-orm";
import { ownerships } from "../../store/schema.js";
import { change } from "../change.js";
import type { Context } from "../context.js";

/** Ends the caller's ownership of the device now. */
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
    await unit.announce("ownershipChanged", { before: ownership, after: ended });
  });
}
