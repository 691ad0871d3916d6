import { and, arrayContains, asc, eq, isNull } from "drizzle-orm";
import { type AccountData, type AccountEvent, webhooks } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { createDeliveries } from "./delivery-queue.js";
import { TEST_EVENT } from "./resource.js";

/** Types of events of an account, with a description for its user. */
export const ACCOUNT_EVENTS: Readonly<Record<AccountEvent, string>> = {
  "samples.stored":
    "Samples of a device that you own were stored: they have times from `from` to `to`, and perhaps new heart rates",
  "job.finished":
    "A job of your uploads has ended: `state` is SUCCESS or FAILURE, and `code` is the reason for the failure; `stored`, `known` and `refused` count the samples of a success",
  "session.changed":
    "The figures of a session may have changed, because its samples, players, periods or times have changed. A job computes the figures; a request for them computes them immediately",
  "session.computed": "A job has computed the figures of a session after a change",
};

export const ACCOUNT_EVENT_NAMES = Object.keys(ACCOUNT_EVENTS) as AccountEvent[];

/** The test event for account webhooks. */
export const ACCOUNT_TEST_EVENT = "webhook.test" as const;

/** Whether an event is an event of account webhooks. */
export const isAccountEvent = (event: string): boolean =>
  event === ACCOUNT_TEST_EVENT || ACCOUNT_EVENT_NAMES.some((name) => name === event);

export const isTest = (event: string): boolean => event === TEST_EVENT || event === ACCOUNT_TEST_EVENT;

/** Maximum number of deliveries of one change, because other transactions wait for its transaction. */
const AT_ONCE = 200;

/** Queues an event for each webhook of an account that receives its type, within the caller's transaction. */
export const emitAccountEvent = (
  unit: UnitOfWork,
  ownerId: number,
  event: AccountEvent,
  data: AccountData,
): Promise<void> => emitAccountEvents(unit, ownerId, event, [data]);

/** Queues several events of a type. Deliveries above `AT_ONCE` are counted as not sent. */
export async function emitAccountEvents(
  unit: UnitOfWork,
  ownerId: number,
  event: AccountEvent,
  all: readonly AccountData[],
): Promise<void> {
  const receivers = await unit.queries
    .select()
    .from(webhooks)
    .where(
      and(
        eq(webhooks.ownerId, ownerId),
        arrayContains(webhooks.events, [event]),
        isNull(webhooks.disabledAt),
      ),
    )
    .orderBy(asc(webhooks.id))
    // Skip a webhook that a concurrent transaction deletes or disables.
    .for("key share");
  const deliveries = all.flatMap((data) =>
    receivers.map(({ id, webhookUrl, secretToken }) => ({
      webhookId: id,
      url: webhookUrl,
      secretToken,
      event,
      data,
    })),
  );
  await createDeliveries(unit, ownerId, deliveries, AT_ONCE);
}
