import type { ApiError } from "asi-client";

/** Where the service does not answer. */
export const AWAY = "The service does not answer. Try again when it is back.";

/** How long to wait, from the words of the service. */
function waitOf(message: string): string {
  const seconds = Number(/(\d+) seconds?\./.exec(message)?.[1] ?? 60);
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 1 ? "a minute" : minutes < 90 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** What the service has refused, in words, with what to do. */
export function refusalInWords({ status, code, requestId, message }: ApiError): string {
  if (status === 429) return `Too many requests were made. Wait ${waitOf(message)}, then try again.`;
  if (status >= 500 && status !== 503) {
    const id = requestId === null ? "" : ` Its log has the request ${requestId}.`;
    return `The service has failed. Try again; if it happens again, tell the person who runs the service.${id}`;
  }
  if (code === "invalid_token" || code === "not_authenticated") return "You are not signed in.";
  // these two have no more information than their status
  if (message === "Not found.") return "It does not exist, or you may not see it. It may have been deleted.";
  if (message === "You do not have permission to perform this action.")
    return "Your account may not do this.";
  if (code === "precondition_failed") return "It was changed meanwhile. Load the page again, then try again.";
  return message;
}
