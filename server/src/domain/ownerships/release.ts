import { eq, sql } from "drizzle-orm";
import { bluetoothConfigurations, ownerships } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Ownership } from "./rules.js";

/** Ends the caller's ownership of the device now. */
export async function releaseOwnership(ctx: Context, device: number): Promise<void> {
  await change(ctx, "releaseOwnership", { device }, (unit, { ownership }) => endOwnership(unit, ownership));
}

/** Ends an ownership now. Deletes an empty ownership. */
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
  if (ended.endTime > ended.startTime) return;
  // An empty ownership can have no data.
  await unit.queries
    .update(bluetoothConfigurations)
    .set({ reportedIn: null })
    .where(eq(bluetoothConfigurations.reportedIn, ended.id));
  await unit.queries.delete(ownerships).where(eq(ownerships.id, ended.id));
}
