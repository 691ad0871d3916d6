import { recomputeTouched } from "./computed-data/recompute.js";
import { forgetRemoved } from "./computed-data/removed-samples.js";
import type { Events } from "./events.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** Does one thing that follows from an event, within the transaction of the change that announced it. */
type Reaction<Event> = (unit: UnitOfWork, event: Event) => Promise<void>;

/**
 * The one table of what follows from what, as `access.ts` is the one table of who may do what. A change announces what has
 * happened with `unit.announce`; the reactions run in the order given here, in the same transaction, before `announce`
 * returns.
 */
export const effects: { [Name in keyof Events]: readonly Reaction<Events[Name]>[] } = {
  samplesStored: [forgetRemoved, recomputeTouched],
  // Samples stored before may now be used, or no longer.
  ownershipChanged: [recomputeTouched],
};

/** Does all that follows from an event. */
export async function react<Name extends keyof Events>(
  unit: UnitOfWork,
  name: Name,
  event: Events[Name],
): Promise<void> {
  for (const reaction of effects[name]) await reaction(unit, event);
}
