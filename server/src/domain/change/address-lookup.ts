/**
 * Resolves a host name to its addresses. Throws if there are none. Lookups of one account do not delay other accounts.
 */
export type AddressLookup = (
  hostname: string,
  options?: { account?: number; signal?: AbortSignal },
) => Promise<string[]>;
