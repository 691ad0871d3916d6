import type { AddressLookup } from "../../address-lookup.js";
import { isLiteralAddress, isPublicAddress } from "./addresses.js";

/**
 * The receiver must not be called, because not all of its addresses are public, or its name has no address. Both cases
 * have the same message, so that it does not reveal which names an internal name server knows.
 */
export class NoPublicAddressError extends Error {
  override readonly name = "NoPublicAddressError";

  constructor() {
    super("The host has no public address.");
  }
}

/**
 * @param url a valid URL of http or https
 * @param account the account on whose behalf it is called
 * @returns the addresses to connect to, all of them public unless `allowPrivate`
 * @throws NoPublicAddressError; with `allowPrivate`, whatever the lookup throws
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
    if (!allowPrivate && !isPublicAddress(address)) throw new NoPublicAddressError();
    return [address];
  }
  const found = lookup(hostname, { account, ...(signal === undefined ? {} : { signal }) });
  if (allowPrivate) return found;
  const addresses = await found.catch(() => []);
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new NoPublicAddressError();
  return addresses;
}
