/** Webhooks and their deliveries. */
import { boolean, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant, reference, version } from "./columns.js";

export const webhooks = pgTable("webhooks", {
  id: id(),
  /** Activity of a version 1 webhook; null for an account webhook. */
  activityId: reference("activity_id"),
  /** Owner of an account webhook, and the types of events that it receives. */
  ownerId: reference("owner_id"),
  events: text("events").array().$type<AccountEvent[]>(),
  webhookUrl: text("webhook_url").notNull(),
  /** Encrypted with the server key. */
  secretToken: text("secret_token").notNull(),
  activityEvents: boolean("activity_events").notNull(),
  timeframesEvents: boolean("timeframes_events").notNull(),
  /** Number of consecutive deliveries that failed in every attempt. */
  failures: integer("failures").notNull().default(0),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** Replaced secrets of webhooks of accounts, which still sign calls until they expire. */
export const previousWebhookSecrets = pgTable("previous_webhook_secrets", {
  id: id(),
  webhookId: reference("webhook_id").notNull(),
  /** Encrypted with the server key. */
  secretToken: text("secret_token").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

/** Events that a webhook of an account can receive. */
export type AccountEvent = "samples.stored" | "job.finished" | "session.changed" | "session.computed";

export type DeliveryState = "pending" | "retrying" | "delivered" | "failed";

/** Subject of a delivery to a webhook of an activity: the activity or one of its time frames. */
export interface ActivityData {
  activity_id: number;
  timeframe_id?: number;
}

/** Subject of a delivery to a webhook of an account. */
export type AccountData = Readonly<Record<string, string | number | null>>;

export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: id(),
  /** Header `webhook-id`, identical in all attempts. */
  messageId: text("message_id").notNull(),
  webhookId: reference("webhook_id").notNull(),
  url: text("url").notNull(),
  /** Encrypted with the server key. */
  secretToken: text("secret_token").notNull(),
  event: text("event").notNull(),
  data: jsonb("data").$type<ActivityData | AccountData>().notNull(),
  state: text("state").$type<DeliveryState>().notNull(),
  attempts: integer("attempts").notNull().default(0),
  responseStatus: integer("response_status"),
  /** First KiB of the response, or the error. */
  response: text("response"),
  /** Number of events that were not sent because too many calls waited; null for a delivery that is sent. */
  unsent: integer("unsent"),
  /** Current or last job of the delivery. */
  jobId: reference("job_id"),
  createdAt: instant("created_at").notNull(),
  lastAttemptAt: instant("last_attempt_at"),
});
