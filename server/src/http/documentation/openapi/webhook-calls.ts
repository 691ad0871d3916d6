import {
  ACCOUNT_EVENT_NAMES,
  ACCOUNT_EVENTS,
  ACCOUNT_TEST_EVENT,
} from "../../../domain/webhooks/account-events.js";
import { ACTIVITY_EVENTS, TIMEFRAME_EVENTS } from "../../../domain/webhooks/events.js";
import { TEST_EVENT } from "../../../domain/webhooks/resource.js";
import type { AccountEvent } from "../../../store/schema.js";
import type { Json } from "./schemas.js";

const SUMMARIES: Readonly<Record<(typeof ACTIVITY_EVENTS | typeof TIMEFRAME_EVENTS)[number], string>> = {
  "activity-updated": "An activity was changed",
  "activity-deleted": "An activity was deleted, with its time frames",
  "timeframe-created": "A time frame of the activity was created",
  "timeframe-updated": "A time frame of the activity was changed",
  "timeframe-deleted": "A time frame of the activity was deleted",
};

const ID = { type: "integer", minimum: 1 };

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const HEADERS = [
  header("webhook-id", "Identical in all attempts to deliver an event"),
  header("webhook-timestamp", "Time of this attempt, seconds since 1970"),
];

const signature = (key: string) =>
  header(
    "webhook-signature",
    `Standard Webhooks 1.0: \`v1,\` and the base64 of HMAC-SHA256 over id, timestamp and body, joined with periods. The key is ${key}.`,
  );

const ACTIVITY_HEADERS = [
  header("X-Asi-Api-Token", "The secret of the webhook, in UTF-8"),
  ...HEADERS,
  signature("the secret in UTF-8"),
];

const ACCOUNT_HEADERS = [
  ...HEADERS,
  signature(
    "the base64 after `whsec_`. After a rotation of the secret, there are several signatures, separated by spaces",
  ),
];

interface Call {
  event: string;
  summary: string;
  headers: readonly Json[];
  /** Schema and example of the body. */
  schema: Json;
  example: Json;
}

const objectOf = (properties: Json): Json => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

function callOf({ event, summary, headers, schema, example }: Call): Json {
  return {
    post: {
      operationId: `call-${event}`,
      tags: ["Webhooks"],
      summary,
      description: "An event can arrive more than once, and events can arrive in any order.",
      security: [],
      parameters: headers,
      requestBody: { required: true, content: { "application/json": { schema, example } } },
      responses: {
        "2XX": { description: "The event is delivered." },
        "410": { description: "The webhook is disabled." },
        default: {
          description: "The event is sent again. `Retry-After` of a 429 or 503 is respected, up to one day.",
        },
      },
    },
  };
}

function activityCall(event: string, summary: string, subjects: readonly string[]): Json {
  const data = objectOf(Object.fromEntries(subjects.map((name) => [name, ID])));
  return callOf({
    event,
    summary,
    headers: ACTIVITY_HEADERS,
    schema: objectOf({ event: { const: event }, webhook_id: ID, data }),
    example: {
      event,
      webhook_id: 1,
      data: Object.fromEntries(subjects.map((name, i) => [name, i + 1])),
    },
  });
}

const TIME = { type: "string", format: "date-time" };
const AN_INSTANT = "2024-01-01T06:00:00.000Z";

const countOf = (what: string): Json => ({
  type: ["integer", "null"],
  minimum: 0,
  description: `${what}; null if the job has failed`,
});

/** Members of the data of each event of an account, with examples. */
const ACCOUNT_DATA: Readonly<
  Record<AccountEvent | typeof ACCOUNT_TEST_EVENT, { schema: Json; example: Json }>
> = {
  "samples.stored": {
    schema: { device: ID, from: TIME, to: TIME },
    example: { device: 7, from: AN_INSTANT, to: "2024-01-01T06:59:59.900Z" },
  },
  "job.finished": {
    schema: {
      job: { type: "string" },
      state: { enum: ["SUCCESS", "FAILURE"] },
      code: { type: ["string", "null"], description: "Reason for the failure of the job" },
      stored: countOf("New samples"),
      known: countOf("Samples that were stored before"),
      refused: countOf("Samples that are out of range, or from times at which you did not own the device"),
    },
    example: {
      job: "job-0f3c6a52-6c0e-4d34-9a3e-0a8f6f4f2b1d",
      state: "SUCCESS",
      code: null,
      stored: 35900,
      known: 0,
      refused: 100,
    },
  },
  "session.changed": { schema: { session: ID }, example: { session: 12 } },
  "session.computed": { schema: { session: ID }, example: { session: 12 } },
  "webhook.test": { schema: { webhook: ID }, example: { webhook: 5 } },
};

function accountCall(event: keyof typeof ACCOUNT_DATA, summary: string): Json {
  const { schema, example } = ACCOUNT_DATA[event];
  return callOf({
    event,
    summary,
    headers: ACCOUNT_HEADERS,
    schema: objectOf({ type: { const: event }, timestamp: TIME, data: objectOf(schema) }),
    example: { type: event, timestamp: AN_INSTANT, data: example },
  });
}

/** The calls of webhooks: a request to the receiver for each event. */
export const WEBHOOK_CALLS: Readonly<Record<string, Json>> = Object.fromEntries([
  ...ACTIVITY_EVENTS.map((event) => [event, activityCall(event, SUMMARIES[event], ["activity_id"])]),
  ...TIMEFRAME_EVENTS.map((event) => [
    event,
    activityCall(event, SUMMARIES[event], ["activity_id", "timeframe_id"]),
  ]),
  [TEST_EVENT, activityCall(TEST_EVENT, "The user tests the webhook", ["activity_id"])],
  ...ACCOUNT_EVENT_NAMES.map((event) => [event, accountCall(event, ACCOUNT_EVENTS[event])]),
  [ACCOUNT_TEST_EVENT, accountCall(ACCOUNT_TEST_EVENT, "The user tests the webhook of the account")],
]);
