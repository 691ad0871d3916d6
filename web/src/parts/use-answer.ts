import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { oneAtATime } from "../view/latest.js";

/** An answer of the worker, or the reason why there is none. */
export type Answer<T> = { found: T } | { problem: string };

/**
 * Returns the answer to a request, which is sent again when a signal changes. The answer is null until the first one arrives.
 *
 * @param ask the same function in all renders
 * @param watched signals whose values `ask` uses
 */
export function useAnswer<T>(
  ask: () => Promise<T>,
  watched: readonly ReadonlySignal<unknown>[],
): Answer<T> | null {
  const answer = useSignal<Answer<T> | null>(null);
  const compute = useMemo(
    () =>
      oneAtATime(async () => {
        answer.value = await ask().then(
          (found) => ({ found }),
          (error) => ({ problem: error instanceof Error ? error.message : String(error) }),
        );
      }),
    [ask, answer],
  );
  useSignalEffect(() => {
    for (const signal of watched) signal.value;
    compute();
  });
  return answer.value;
}
