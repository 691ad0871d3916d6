import ipaddr from "ipaddr.js";

/** 2000::/3 is all that is assigned for global unicast (RFC 4291 section 2.4, IANA IPv6 address space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");
const GLOBAL_UNICAST_BITS = 3;

/** Well-known prefix of IPv4 addresses behind a translator (RFC 6052 section 2.1); the last four bytes are the address. */
const TRANSLATED = ipaddr.IPv6.parse("64:ff9b::");
const TRANSLATED_BITS = 96;

/**
 * Whether an address belongs to the public Internet: not loopback, private, link-local, multicast, reserved or of a
 * tunnel. IPv4 inside IPv6 counts as the IPv4 address.
 * @param text an IP address as `dns.lookup` and sockets give it, brackets around IPv6 allowed; false for anything else
 */
export function isPublicAddress(text: string): boolean {
  const bare = withoutBrackets(text);
  if (!ipaddr.isValid(bare)) return false;
  const address = embedded(ipaddr.process(bare));
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
}

/** Whether a URL's host is an address rather than a name. Other notations of IPv4 are made plain by the URL parser. */
export const isLiteralAddress = (hostname: string): boolean => ipaddr.isValid(withoutBrackets(hostname));

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1");

function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || !address.match(TRANSLATED, TRANSLATED_BITS)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
