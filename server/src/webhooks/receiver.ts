import { lookup } from "node:dns/promises";
import { isLiteralAddress, isPublicAddress } from "./addresses.js";

/** Finds the addresses of a name; throws when there are none. */
export type AddressLookup = (hostname: string) => Promise<string[]>;

/** The machine's own resolver, hosts file included. */
export const systemLookup: AddressLookup = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** A receiver that must not be called: its address is not public. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";

  constructor() {
    super("The host is or resolves to an address that is not public.");
  }
}

/**
 * @param url a valid URL of http or https
 * @returns the addresses to connect to, all of them public unless `allowPrivate`
 * @throws PrivateAddressError when one of them is not; whatever the lookup throws
 */
export async function receiverAddresses(
  url: URL,
  { lookup, allowPrivate }: { lookup: AddressLookup; allowPrivate: boolean },
): Promise<string[]> {
  const { hostname } = url;
  const addresses = isLiteralAddress(hostname)
    ? [hostname.replace(/^\[(.*)\]$/, "$1")]
    : await lookup(hostname);
  if (!allowPrivate && !addresses.every(isPublicAddress)) throw new PrivateAddressError();
  return addresses;
}
