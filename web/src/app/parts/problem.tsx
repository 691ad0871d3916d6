import { ApiError } from "asi-client";
import { AwayError } from "../connection.js";

/** What went wrong, in words, with what to do. */
export function wordsOf(error: unknown): string {
  if (error instanceof AwayError) return "The service does not answer. Try again when it is back.";
  if (error instanceof ApiError) {
    if (error.status === 429) return "Too many requests were made. Wait a minute, then try again.";
    if (error.status >= 500 && error.status !== 503) {
      const id = error.requestId === null ? "" : ` Its log has the request ${error.requestId}.`;
      return `The service has failed. Try again; if it happens again, tell who runs the service.${id}`;
    }
    if (error.code === "invalid_token" || error.code === "not_authenticated") return "You are not signed in.";
    return error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

interface Props {
  /** What could not be done, as a sentence: "The devices could not be loaded." */
  title: string;
  error: unknown;
  /** Repeats what has failed. */
  retry?: (() => void) | undefined;
}

export function ProblemCard({ title, error, retry }: Props) {
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      <p>{wordsOf(error)}</p>
      {retry === undefined ? null : (
        <p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
