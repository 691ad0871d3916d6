import type { Resource } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { timeOfDay } from "../../view/times.js";
import { NO_VALUE } from "../../view/values.js";
import { dayAndSecond } from "../parts/when.js";

type Webhook = Resource["Webhook"];
type Delivery = Resource["WebhookDelivery"];

/** Returns the events of a webhook in words. */
export function eventsOf({ activity_events, timeframes_events }: Webhook): string {
  if (activity_events && timeframes_events) return "Changes to the activity and to its time frames";
  if (activity_events) return "Changes to the activity";
  return timeframes_events ? "Changes to time frames" : "Nothing";
}

/** Returns the state of a webhook in words. */
export function stateOf({ disabled_at, ...webhook }: Webhook, zone: Zone): string {
  if (disabled_at !== null) return `Disabled since ${dayAndSecond(disabled_at, zone)}`;
  return webhook.activity_events || webhook.timeframes_events ? "Enabled" : "Enabled, but without events";
}

/** The reason why a webhook is disabled, and the remedy. */
export const WHY_DISABLED =
  "The service has disabled this webhook because its receiver answered 410 (Gone) or failed to accept 20 events in a row. " +
  "Events that happened in the meantime are not sent. When the receiver works again, enable the webhook.";

const EVENTS: Record<string, string> = {
  "activity-updated": "Activity changed",
  "activity-deleted": "Activity deleted",
  "timeframe-created": "Time frame created",
  "timeframe-updated": "Time frame changed",
  "timeframe-deleted": "Time frame deleted",
  test: "Test",
};

export const eventWords = (event: string): string => EVENTS[event] ?? event;

export const DELIVERY_STATES: readonly (readonly [Delivery["state"], string])[] = [
  ["pending", "Waiting"],
  ["retrying", "Will be sent again"],
  ["delivered", "Delivered"],
  ["failed", "Not delivered"],
];

/** Returns whether a delivery is in a final state. Only the user changes such a state. */
export const hasEnded = ({ state }: Pick<Delivery, "state">): boolean =>
  state === "delivered" || state === "failed";

/** Returns the outcome of a delivery. */
export function outcomeOf({ state, next_attempt_at: next }: Delivery, zone: Zone): string {
  const words = DELIVERY_STATES.find(([one]) => one === state)?.[1] ?? state;
  return state === "retrying" && next !== null ? `${words} at ${timeOfDay(Date.parse(next), zone)}` : words;
}

/** Explanations of network errors. */
const NETWORK_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, "The receiver refuses the connection: no program listens at this address"],
  [/ETIMEDOUT|Timeout Error/, "The receiver does not respond in time"],
  [/ENOTFOUND|ENODATA/, "There is no host with this name"],
  [/EAI_AGAIN|ESERVFAIL|ETIMEOUT/, "The name of the host cannot be looked up now"],
  [/certificate|altnames|CERT_/, "The service does not trust the certificate of the receiver"],
  [/EPROTO|wrong version number/, "The receiver does not support HTTPS at this address"],
  [/ECONNRESET|hang up|other side closed/, "The receiver closes the connection without a response"],
  [/EHOSTUNREACH|ENETUNREACH/, "The network of the receiver cannot be reached"],
];

/** Explains a missing response. Contains the original error for the operator of the receiver. */
function reasonOf(error: string): string {
  const words = NETWORK_ERRORS.find(([pattern]) => pattern.test(error))?.[1];
  return words === undefined ? error : `${words} (${error}).`;
}

export function responseOf({
  response_status: status,
  response,
}: Pick<Delivery, "response_status" | "response">): string {
  if (status === null) return response === null ? NO_VALUE : reasonOf(response);
  return response === null || response === "" ? `HTTP ${status}` : `HTTP ${status}: ${response}`;
}

/** Returns the result of a test as a sentence. */
export function testWords(delivery: Pick<Delivery, "state" | "response_status" | "response">): string {
  if (delivery.state === "delivered")
    return `The test has succeeded. The receiver answered HTTP ${delivery.response_status}.`;
  if (!hasEnded(delivery)) return "The receiver has not responded yet. The log shows when it does.";
  return delivery.response_status === null
    ? `The test has failed. ${delivery.response === null ? "" : reasonOf(delivery.response)}`.trim()
    : `The receiver did not accept the event. It answered HTTP ${delivery.response_status}. It should answer with a status from 200 to 299.`;
}
