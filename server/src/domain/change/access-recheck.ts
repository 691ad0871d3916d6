import type { Context } from "./context.js";
import { errors } from "./errors.js";

/** Time for which a slow response relies on the last check of the caller's right. */
export const RECHECK_MS = 5_000;

/**
 * Rechecks during a long response that the caller is still signed in and has the right. Call the returned function before each
 * part; it makes a query at most every `RECHECK_MS`, counted from the last check of the request, which may have waited in a queue since.
 * @param requireRight throws when the caller has lost the right
 * @returns function that throws ServiceError `unauthenticated`, or any error of `requireRight`
 */
export function accessRecheck(
  { clock, isSignedIn, checkedMs = clock.now().getTime() }: Context,
  requireRight?: () => Promise<unknown>,
): () => Promise<void> {
  let lastMs = checkedMs;
  return async () => {
    const nowMs = clock.now().getTime();
    if (Math.abs(nowMs - lastMs) < RECHECK_MS) return;
    if ((await isSignedIn?.()) === false) throw errors.unauthenticated(true);
    await requireRight?.();
    lastMs = nowMs;
  };
}
