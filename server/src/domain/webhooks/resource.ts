import { FormatRegistry, type StaticDecode, Type } from "@sinclair/typebox";
import type { Queries } from "../../store/connection/database.js";
import type { ActivityData } from "../../store/schema.js";
import { DateTimeOut, Id, Nullable } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { decryptSecret } from "../secrets/secrets.js";
import { ACTIVITY_EVENTS, TIMEFRAME_EVENTS } from "./events.js";
import type { Delivery, Webhook as WebhookRow } from "./rules.js";

/** Event of a test call. */
export const TEST_EVENT = "test";

export const MAX_URL_CHARACTERS = 200;
export const MAX_SECRET_CHARACTERS = 100;

/** Matches text that a header can contain. Excludes spaces at the ends, because receivers remove them. */
const SECRET = /^[^\p{Cc}\p{Cs}\s](?:[^\p{Cc}\p{Cs}]*[^\p{Cc}\p{Cs}\s])?$/u;
FormatRegistry.Set("webhook-secret", (value) => SECRET.test(value));
FormatRegistry.Set("webhook-url", isWebhookUrl);

function isWebhookUrl(text: string): boolean {
  // Characters that the URL parser would drop or repair. The service must call the URL as stored.
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(text) || !/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text))
    return false;
  // The parsed URL does not reveal an empty user name.
  return !/^https?:\/\/[^/?#]*@/i.test(text);
}

export const WebhookUrl = Type.String({
  format: "webhook-url",
  maxLength: MAX_URL_CHARACTERS,
  problem: "Enter a URL beginning with http:// or https://, without a user name.",
  openapi: { type: "string", format: "uri", maxLength: MAX_URL_CHARACTERS },
  description: "The host must be or resolve to public addresses only",
});

const fields = {
  webhook_url: WebhookUrl,
  secret_token: Type.String({
    format: "webhook-secret",
    minLength: 1,
    maxLength: MAX_SECRET_CHARACTERS,
    problem: "Control characters, and spaces at the ends, are not allowed.",
    openapi: { type: "string", minLength: 1, maxLength: MAX_SECRET_CHARACTERS },
    description:
      "Sent with every call in X-Asi-Api-Token. If you send back the masked value of a response, the secret is kept, unless the URL gets another scheme, host or port",
  }),
  activity_events: Type.Boolean({ description: `Call on ${ACTIVITY_EVENTS.join(", ")}` }),
  timeframes_events: Type.Boolean({ description: `Call on ${TIMEFRAME_EVENTS.join(", ")}` }),
};

const example = {
  webhook_url: "https://example.org/hooks/asi",
  secret_token: "whsec-7f0c52e1d9",
  activity_events: true,
  timeframes_events: true,
};

/** Body of POST and PUT, with all fields. */
export const WebhookInput = Type.Object(fields, { examples: [example] });
export const WebhookUpdate = Type.Partial(Type.Object(fields), {
  examples: [{ webhook_url: example.webhook_url }],
});

export type WebhookFields = StaticDecode<typeof WebhookInput>;

export const Webhook = Type.Object(
  {
    id: Id(),
    webhook_url: Type.String({ format: "uri" }),
    secret_token: Type.String({ description: "Masked after its first two characters" }),
    activity_events: Type.Boolean(),
    timeframes_events: Type.Boolean(),
    disabled_at: Nullable(
      DateTimeOut({
        description: "Time when the webhook was disabled; null if it is enabled. An update enables it again",
      }),
    ),
  },
  {
    $id: "Webhook",
    examples: [{ id: 1, ...example, secret_token: "wh**************", disabled_at: null }],
  },
);

/** Shows the first two characters, and an asterisk for each further one. Hides a secret of one or two characters completely. */
export function mask(secret: string): string {
  const characters = [...secret];
  const shown = characters.length > 2 ? 2 : 0;
  return characters.slice(0, shown).join("") + "*".repeat(characters.length - shown);
}

/** @param queries queries of the transaction, if any */
export const toWebhook = async (ctx: Context, row: WebhookRow, queries: Queries = ctx.queries) => ({
  id: row.id,
  webhook_url: row.webhookUrl,
  secret_token: mask(await decryptSecret(ctx, queries, row.secretToken)),
  activity_events: row.activityEvents,
  timeframes_events: row.timeframesEvents,
  disabled_at: row.disabledAt?.toISOString() ?? null,
});

export const webhookItem = async (
  ctx: Context,
  row: WebhookRow,
  queries: Queries = ctx.queries,
): Promise<Item<Awaited<ReturnType<typeof toWebhook>>>> =>
  item(await toWebhook(ctx, row, queries), row.version);

/** State of a delivery. */
export const PROGRESS = {
  state: Type.Union(
    (["pending", "retrying", "delivered", "failed"] as const).map((state) => Type.Literal(state)),
  ),
  attempts: Type.Integer({ minimum: 0, description: "Calls made so far" }),
  response_status: Nullable(
    Type.Integer({ description: "HTTP status of the last call; null if there was no response" }),
  ),
  response: Nullable(
    Type.String({ description: "First KiB of the last response, or the reason why there was no response" }),
  ),
  created_at: DateTimeOut(),
  last_attempt_at: Nullable(DateTimeOut()),
  next_attempt_at: Nullable(DateTimeOut({ description: "Null if there is no further call" })),
};

export const PROGRESS_EXAMPLE = {
  state: "retrying",
  attempts: 1,
  response_status: 503,
  response: "Try later",
  created_at: "2024-01-01T06:00:00.000Z",
  last_attempt_at: "2024-01-01T06:00:00.120Z",
  next_attempt_at: "2024-01-01T06:00:05.320Z",
};

export const WebhookDelivery = Type.Object(
  {
    id: Id(),
    message_id: Type.String({ description: "Header webhook-id, the same in all attempts" }),
    event: Type.String({ description: [...ACTIVITY_EVENTS, ...TIMEFRAME_EVENTS, TEST_EVENT].join(", ") }),
    data: Type.Object({ activity_id: Id(), timeframe_id: Type.Optional(Id()) }),
    webhook_url: Type.String({ description: "The URL at the time of the event" }),
    ...PROGRESS,
  },
  {
    $id: "WebhookDelivery",
    examples: [
      {
        id: 1,
        message_id: "msg_0f3c6a52-6c0e-4d34-9a3e-0a8f6f4f2b1d",
        event: "timeframe-created",
        data: { activity_id: 1, timeframe_id: 7 },
        webhook_url: example.webhook_url,
        ...PROGRESS_EXAMPLE,
      },
    ],
  },
);

/** @param dueAt time of the next run of the delivery's job */
export const toDelivery = (row: Delivery, dueAt: Date | null) => ({
  id: row.id,
  message_id: row.messageId,
  event: row.event,
  // Webhooks of activities have no other events.
  data: row.data as ActivityData,
  webhook_url: row.url,
  ...progressOf(row, dueAt),
});

/** Returns the outcome of a delivery. @param dueAt time of the next run of its job */
export const progressOf = (row: Delivery, dueAt: Date | null) => ({
  state: row.state,
  attempts: row.attempts,
  response_status: row.responseStatus,
  response: row.response,
  created_at: row.createdAt.toISOString(),
  last_attempt_at: row.lastAttemptAt?.toISOString() ?? null,
  next_attempt_at:
    row.state === "pending" || row.state === "retrying" ? (dueAt?.toISOString() ?? null) : null,
});
