/**
 * The extent of a check in `npm test`. The long form (`npm run test:long`) runs the files that use this, in full; both
 * forms test every promise, unless a comment states an exception.
 */
export const isLongForm = process.env.TEST_LONG === "1";

/** Number of examples: `full` in the long form, otherwise a sixth of them, and at least 25. */
export function examples(full: number): number {
  return isLongForm ? full : Math.min(full, Math.max(25, Math.ceil(full / 6)));
}

/** `all` in the long form, otherwise `few`. */
export function inLongForm<T>(all: T, few: T): T {
  return isLongForm ? all : few;
}
