/** A star, or a function that tests one character. */
export type WildcardToken = "*" | ((character: string) => boolean);

/**
 * Returns whether a name, given as characters, matches a pattern in which a star stands for any text. The number of steps is at most the
 * length of the pattern times the length of the name.
 */
export function meetsWildcards(tokens: readonly WildcardToken[], name: readonly string[]): boolean {
  let token = 0;
  let i = 0;
  // Position after the last star. If the rest does not match, the star is extended by one character. Earlier stars need no retry.
  let retry: { token: number; i: number } | null = null;
  while (i < name.length || token < tokens.length) {
    const expected = tokens[token];
    if (expected === "*") {
      token += 1;
      retry = { token, i };
    } else if (expected !== undefined && i < name.length && expected(name[i] ?? "")) {
      token += 1;
      i += 1;
    } else if (retry !== null && retry.i < name.length) {
      retry.i += 1;
      ({ token, i } = retry);
    } else return false;
  }
  return true;
}
