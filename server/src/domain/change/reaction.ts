import type { Changed, Events } from "./events.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** Reaction to an event. It runs in the transaction of the change that announced the event. */
export type Reaction<Event> = (unit: UnitOfWork, event: Event) => Promise<void>;

/** Reactions to some events. They run in the order given here. */
export type Effects<Names extends keyof Events> = { [Name in Names]: readonly Reaction<Events[Name]>[] };

export type AuditedRow = { id: number } & Record<string, unknown>;

/** Returns a reaction that writes the row before and after the change to the audit log. */
export const audit =
  (entity: string): Reaction<Changed<AuditedRow>> =>
  (unit, event) => {
    const { id } = event.before === null ? event.after : event.before;
    return unit.audit(entity, id, event.before, event.after);
  };
