import { eq, sql } from "drizzle-orm";
import { ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { ownershipChanged } from "../timeframes/samples-stored.js";

/** Ends the caller's ownership of the device now. */
export async function releaseOwnership(ctx: Context, device: number): Promise<void> {
  await change(ctx, "releaseOwnership", { device }, async (change, { ownership }) => {
    const endMs = Math.max(change.now.getTime(), ownership.startTime.getTime());
    const [ended] = await change.queries
      .update(ownerships)
      .set({
        endTime: new Date(endMs),
        version: sql`${ownerships.version} + 1`,
      })
      .where(eq(ownerships.id, ownership.id))
      .returning();
    await change.audit("ownership", ownership.id, ownership, ended ?? null);
    // A device's clock may be ahead: its samples from after this moment are the owner's no more.
    await ownershipChanged(change, device, [{ startMs: endMs, stopMs: CURRENT_END.getTime() }]);
  });
}
