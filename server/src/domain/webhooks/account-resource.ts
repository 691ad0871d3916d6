import { type Static, Type } from "@sinclair/typebox";
import type { AccountEvent } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { DateTimeOut, Id, Nullable, Query } from "../../wire/types.js";
import { item } from "../change/entity-tags.js";
import { ACCOUNT_EVENT_NAMES, ACCOUNT_EVENTS, ACCOUNT_TEST_EVENT } from "./account-events.js";
import { PROGRESS, PROGRESS_EXAMPLE, progressOf, WebhookUrl } from "./resource.js";
import type { Delivery, Webhook } from "./rules.js";

const example = { url: "https://example.org/hooks/asi", events: ["samples.stored" as AccountEvent] };

const Events = Type.Array(
  Type.Unsafe<AccountEvent>(Type.Union(ACCOUNT_EVENT_NAMES.map((name) => Type.Literal(name)))),
  {
    minItems: 1,
    uniqueItems: true,
    description: ACCOUNT_EVENT_NAMES.map((name) => `\`${name}\`: ${ACCOUNT_EVENTS[name]}`).join(". "),
  },
);

const fields = { url: WebhookUrl, events: Events };

export const AccountWebhookInput = Type.Object(fields, { examples: [example] });
export const AccountWebhookPatch = Type.Partial(Type.Object(fields), {
  examples: [{ events: ["samples.stored", "session.changed"] }],
});
export type AccountWebhookFields = Static<typeof AccountWebhookInput>;

const shown = {
  id: Id(),
  url: Type.String({ format: "uri" }),
  events: Events,
  created_at: DateTimeOut(),
  disabled_at: Nullable(
    DateTimeOut({
      description: "Time when the webhook was disabled; null if it is enabled. A change enables it",
    }),
  ),
};

const shownExample = { id: 5, ...example, created_at: "2024-01-01T06:00:00.000Z", disabled_at: null };

export const AccountWebhook = Type.Object(shown, { $id: "AccountWebhook", examples: [shownExample] });

const Secret = Type.String({
  description:
    "Key of the signatures: `whsec_` and its base64. It is not sent with calls, and not shown again",
});

export const NewAccountWebhook = Type.Object(
  { ...shown, secret: Secret },
  {
    $id: "NewAccountWebhook",
    examples: [{ ...shownExample, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" }],
  },
);

export const RotatedWebhookSecret = Type.Object(
  {
    secret: Secret,
    previous_valid_until: DateTimeOut({
      description: "Time until which calls also have a signature with the replaced secret",
    }),
  },
  {
    $id: "RotatedWebhookSecret",
    examples: [
      {
        secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
        previous_valid_until: "2024-01-02T06:00:00.000Z",
      },
    ],
  },
);

export const toAccountWebhook = (row: Webhook): Static<typeof AccountWebhook> => ({
  id: row.id,
  url: row.webhookUrl,
  events: row.events ?? [],
  created_at: row.createdAt.toISOString(),
  disabled_at: row.disabledAt?.toISOString() ?? null,
});

export const accountWebhookItem = (row: Webhook) => item(toAccountWebhook(row), row.version);

export const AccountDelivery = Type.Object(
  {
    id: Id(),
    message_id: Type.String({ description: "Header webhook-id, the same in all attempts" }),
    type: Type.String({ description: [...ACCOUNT_EVENT_NAMES, ACCOUNT_TEST_EVENT].join(", ") }),
    data: Type.Record(Type.String(), Type.Unknown(), { description: "The `data` of the call" }),
    url: Type.String({ description: "The URL at the time of the event" }),
    ...PROGRESS,
  },
  {
    $id: "AccountWebhookDelivery",
    examples: [
      {
        id: 1,
        message_id: "msg_0f3c6a52-6c0e-4d34-9a3e-0a8f6f4f2b1d",
        type: "samples.stored",
        data: { device: 7, from: "2024-01-01T05:00:00.000Z", to: "2024-01-01T05:59:59.900Z" },
        url: example.url,
        ...PROGRESS_EXAMPLE,
      },
    ],
  },
);

/** @param dueAt time of the next run of the delivery's job */
export const toAccountDelivery = (row: Delivery, dueAt: Date | null) => ({
  id: row.id,
  message_id: row.messageId,
  type: row.event,
  data: row.data as Record<string, unknown>,
  url: row.url,
  ...progressOf(row, dueAt),
});

export const AccountWebhookFilters = Type.Object(CursorQuery);

export const AccountDeliveryFilters = Type.Object({
  ...CursorQuery,
  state: Query.text("Equals: pending, retrying, delivered, failed"),
});
