import type { ApiError } from "asi-client";

/** Where the service does not answer. */
export const AWAY = "The service does not answer. Try again when it is back.";

/** What the service has refused, in words, with what to do. */
export function refusalInWords({ status, code, requestId, message }: ApiError): string {
  if (status === 429) return "Too many requests were made. Wait a minute, then try again.";
  if (status >= 500 && status !== 503) {
    const id = requestId === null ? "" : ` Its log has the request ${requestId}.`;
    return `The service has failed. Try again; if it happens again, tell the person who runs the service.${id}`;
  }
  if (code === "invalid_token" || code === "not_authenticated") return "You are not signed in.";
  return message;
}
