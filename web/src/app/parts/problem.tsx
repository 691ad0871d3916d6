import { ApiError } from "asi-client";
import { AWAY } from "../../recording/service-words.js";
import { AwayError } from "../connection.js";
import { refusalWords } from "./refusal-words.js";

/** Returns the message of an error with the next step. */
export function wordsOf(error: unknown): string {
  if (error instanceof AwayError) return AWAY;
  if (error instanceof ApiError) return refusalWords(error);
  return error instanceof Error ? error.message : String(error);
}

interface Props {
  /** The failed action as a sentence, such as "The devices could not be loaded." */
  title: string;
  error: unknown;
  /** Repeats the failed action. */
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
