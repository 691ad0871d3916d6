/** The command was called incorrectly, and has done nothing. `message` says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Refuses options that would change nothing.
 *
 * @param names those of `flags` that have no effect
 * @param instead what to do, as the end of a sentence that begins with the option
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
