/**
 * Resolves a host name to its addresses; throws when there are none. The lookups of one account do not delay those of
 * another.
 */
export type AddressLookup = (
  hostname: string,
  options?: { account?: number; signal?: AbortSignal },
) => Promise<string[]>;
