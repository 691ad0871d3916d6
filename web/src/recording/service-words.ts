import type { ApiError } from "asi-client";

/** The message when the service does not respond. */
export const AWAY = "The service does not respond. Try again when it is back.";

/** Returns the waiting time in a message of the service. */
function waitOf(message: string): string {
  const seconds = Number(/(\d+) seconds?\./.exec(message)?.[1] ?? 60);
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 1 ? "a minute" : minutes < 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** Messages of the service that are written for programs, with their texts for users. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  // these two only repeat their status
  [/^Not found\.$/, "It does not exist, or you cannot see it. It may have been deleted."],
  [
    /^You do not have permission to perform this action\.$/,
    "Your account does not have the right to do this.",
  ],
  [
    /^You need WRITE permission for the athlete from\b/,
    "The athlete lets you create time frames, but not for all of this time, or not at present. Choose another time, or ask the athlete for the permission “Change”.",
  ],
  [
    /^You need WRITE permission for the athlete of the time frame\b/,
    "The athlete of this time frame no longer lets you change it. Ask the athlete for the permission “Change”, or create a new time frame.",
  ],
  [/^You did not own the device between start and stop\b/, "You did not own the device at this time."],
  [/^The request body is too large\.$/, "This is more than the service accepts at once."],
  [
    /^Too many concurrent requests use this Idempotency-Key\b/,
    "The service is still working on it. Try again in a moment.",
  ],
  [/\bIdempotency-Key\b/, "This was sent before, with other content. Load the page again, then try again."],
  [
    /^(?:JSON parse error|Invalid page|The body (?:contains|has)|The form |The request (?:header|could)|This operation is only for the page)\b/,
    "The service did not understand the request of the page. Load the page again, then try again.",
  ],
];

const hasMessage = (body: unknown): boolean =>
  typeof body === "object" && body !== null && ("detail" in body || "message" in body);

/** Returns the text of an error of the service for users, with the next step. */
export function refusalInWords({ status, code, requestId, message, body }: ApiError): string {
  if (status === 429) return `Too many requests were made. Wait ${waitOf(message)}, then try again.`;
  if (status >= 500 && status !== 503) {
    const id = requestId === null ? "" : ` Its log has the request ${requestId}.`;
    return `The service has failed. Try again. If it happens again, tell the person who runs the service.${id}`;
  }
  if (code === "invalid_token" || code === "not_authenticated") return "You are not signed in.";
  if (code === "precondition_failed")
    return "It has changed since you opened the page. Reload the page, then try again.";
  // if the service sends no message, the message of the error would contain field names
  if (status === 400 && !hasMessage(body)) return "The service refused the data that the page sent.";
  return IN_WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}
