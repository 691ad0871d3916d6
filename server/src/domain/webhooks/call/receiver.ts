import type { AddressLookup } from "../../change/address-lookup.js";
import { isLiteralAddress, isNeverCalled, isPublicAddress } from "./addresses.js";

/**
 * The receiver must not be called, because not all of its addresses are public, or because its name has no address.
 * Both cases have the same message, because it must not reveal names known to an internal name server.
 */
export class NoPublicAddressError extends Error {
  override readonly name = "NoPublicAddressError";

  constructor(message = "The host has no public address.") {
    super(message);
  }
}

const NEVER_CALLED = "Link-local and cloud metadata addresses are never called.";

/** @throws NoPublicAddressError when an address must not be called */
export function requireCallable(addresses: readonly string[], allowPrivate: boolean): void {
  if (!allowPrivate && !addresses.every(isPublicAddress)) throw new NoPublicAddressError();
  if (addresses.some(isNeverCalled)) throw new NoPublicAddressError(NEVER_CALLED);
}

/**
 * @param url a valid URL of http or https
 * @param account the account on whose behalf it is called
 * @returns addresses to connect to: all public unless `allowPrivate`, and never link-local or cloud metadata
 * @throws NoPublicAddressError; with `allowPrivate`, also any error of the lookup
 */
export async function receiverAddresses(
  url: URL,
  {
    lookup,
    allowPrivate,
    account = 0,
    signal,
  }: { lookup: AddressLookup; allowPrivate: boolean; account?: number; signal?: AbortSignal },
): Promise<string[]> {
  const { hostname } = url;
  if (isLiteralAddress(hostname)) {
    const address = hostname.replace(/^\[(.*)\]$/, "$1");
    requireCallable([address], allowPrivate);
    return [address];
  }
  const found = lookup(hostname, { account, ...(signal === undefined ? {} : { signal }) });
  const addresses = allowPrivate ? await found : await found.catch(() => []);
  if (addresses.length === 0 && !allowPrivate) throw new NoPublicAddressError();
  requireCallable(addresses, allowPrivate);
  return addresses;
}
