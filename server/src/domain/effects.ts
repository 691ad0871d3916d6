import { eq } from "drizzle-orm";
import { permissions, timeframes } from "../store/schema.js";
import { erasePerson } from "./accounts/erase.js";
import { revokeTokens } from "./accounts/store.js";
import { eraseOwner, forgetOwner } from "./bluetooth/forget.js";
import { queueComputation, recompute, recomputeTouched } from "./computed-data/recompute.js";
import { forgetRemoved, rememberRemoved } from "./computed-data/removed-samples.js";
import type { Events } from "./events.js";
import { removePermissions } from "./permissions/remove.js";
import { removeTimeframes } from "./timeframes/remove.js";
import type { UnitOfWork } from "./unit-of-work.js";
import { eraseWebhooks } from "./webhooks/erase.js";
import { emitActivityEvent, emitActivityEvents } from "./webhooks/events.js";

/** Does one thing that follows from an event, within the transaction of the change that announced it. */
type Reaction<Event> = (unit: UnitOfWork, event: Event) => Promise<void>;

/**
 * The one table of what follows from what, as `access.ts` is the one table of who may do what. A change announces what has
 * happened with `unit.announce`; the reactions run in the order given here, in the same transaction, before `announce`
 * returns.
 */
export const effects: { [Name in keyof Events]: readonly Reaction<Events[Name]>[] } = {
  accountClosed: [
    (unit, { accountId }) => revokeTokens(unit, accountId),
    (unit, { accountId }) => eraseWebhooks(unit, accountId),
  ],
  accountDeleted: [
    (unit, { account }) => removeTimeframes(unit, eq(timeframes.athleteId, account.id)),
    (unit, { account }) => removePermissions(unit, eq(permissions.athleteId, account.id)),
    // Last: it erases the values of the audit rows that the others write.
    (unit, { account }) => erasePerson(unit, account),
  ],
  passwordChanged: [(unit, { accountId }) => revokeTokens(unit, accountId)],
  birthDateChanged: [
    // The maximum heart rate is derived from the age.
    (unit, { athleteId }) => recompute(unit, eq(timeframes.athleteId, athleteId)),
  ],

  activityUpdated: [
    (unit, { activityId }) => emitActivityEvent(unit, "activity-updated", { activityId }),
    (unit, { activityId }) => recompute(unit, eq(timeframes.activityId, activityId)),
  ],
  activityDeleted: [(unit, { activityId }) => emitActivityEvent(unit, "activity-deleted", { activityId })],

  timeframeCreated: [
    (unit, { timeframe: { id, activityId } }) =>
      emitActivityEvent(unit, "timeframe-created", { activityId, timeframeId: id }),
    (unit, { timeframe }) => queueComputation(unit, [timeframe]),
  ],
  timeframeUpdated: [
    // One that moves to another activity is reported to the webhooks of both.
    async (unit, { before, after }) => {
      for (const activityId of new Set([before.activityId, after.activityId])) {
        await emitActivityEvent(unit, "timeframe-updated", { activityId, timeframeId: after.id });
      }
    },
    (unit, { after }) => queueComputation(unit, [after]),
  ],
  timeframesDeleted: [
    (unit, { deleted, withActivity }) =>
      emitActivityEvents(
        unit,
        "timeframe-deleted",
        deleted.map(({ id, activityId }) => ({ activityId, timeframeId: id })),
        { outlives: withActivity },
      ),
  ],

  samplesStored: [forgetRemoved, recomputeTouched],
  samplesExpired: [rememberRemoved],
  resultsOutdated: [(unit, { timeframes }) => queueComputation(unit, timeframes)],

  ownerReplaced: [forgetOwner],
  ownerErased: [eraseOwner],
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
