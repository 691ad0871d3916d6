import { ACTIVITY_EVENTS, TIMEFRAME_EVENTS } from "../../../domain/webhooks/events.js";
import { TEST_EVENT } from "../../../domain/webhooks/resource.js";
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
  header("X-Asi-Api-Token", "The secret of the webhook, in UTF-8"),
  header("webhook-id", "Identical in all attempts to deliver an event"),
  header("webhook-timestamp", "Time of this attempt, seconds since 1970"),
  header(
    "webhook-signature",
    "Standard Webhooks 1.0: `v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined with periods. The key is the secret in UTF-8.",
  ),
];

function callOf(event: string, summary: string, subjects: readonly string[]): Json {
  const data = Object.fromEntries(subjects.map((name) => [name, ID]));
  const example = Object.fromEntries(subjects.map((name, i) => [name, i + 1]));
  return {
    post: {
      operationId: `call-${event}`,
      tags: ["Webhooks"],
      summary,
      description: "The call has ids only. An event can arrive more than once, and events in any order.",
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: {
                event: { const: event },
                webhook_id: ID,
                data: { type: "object", properties: data, required: subjects, additionalProperties: false },
              },
              required: ["event", "webhook_id", "data"],
              additionalProperties: false,
            },
            example: { event, webhook_id: 1, data: example },
          },
        },
      },
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

/** The calls of webhooks: a request to the receiver for each event. */
export const WEBHOOK_CALLS: Readonly<Record<string, Json>> = Object.fromEntries([
  ...ACTIVITY_EVENTS.map((event) => [event, callOf(event, SUMMARIES[event], ["activity_id"])]),
  ...TIMEFRAME_EVENTS.map((event) => [
    event,
    callOf(event, SUMMARIES[event], ["activity_id", "timeframe_id"]),
  ]),
  [TEST_EVENT, callOf(TEST_EVENT, "The user tests the webhook", ["activity_id"])],
]);
