/** The command was called incorrectly, and has done nothing. `message` says how to call it correctly. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Refuses options without effect.
 *
 * @param names options in `flags` that have no effect
 * @param instead the remedy, which completes a sentence that begins with the option
 * @throws UsageError if one of them is given
 */
export function refuseWithoutEffect<Flags extends object>(
  flags: Flags,
  names: readonly (string & keyof Flags)[],
  instead: string,
): void {
  const given = names.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  const option = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${option} ${instead}.`);
}
