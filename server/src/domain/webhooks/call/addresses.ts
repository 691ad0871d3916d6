import ipaddr from "ipaddr.js";

/** 2000::/3 is the only range assigned for global unicast (RFC 4291 section 2.4, IANA IPv6 address space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");
const GLOBAL_UNICAST_BITS = 3;

/** Well-known prefix of IPv4 addresses behind a translator (RFC 6052 section 2.1); the last four bytes are the address. */
const TRANSLATED = ipaddr.IPv6.parse("64:ff9b::");
const TRANSLATED_BITS = 96;

/**
 * Whether an address belongs to the public Internet: not loopback, private, link-local, multicast, reserved or of a
 * tunnel. An IPv4 address embedded in IPv6 is checked as an IPv4 address.
 * @param text an IP address as from `dns.lookup` and sockets, optionally with brackets around IPv6; false for other texts
 */
export function isPublicAddress(text: string): boolean {
  const bare = withoutBrackets(text);
  if (!ipaddr.isValid(bare)) return false;
  const address = embedded(ipaddr.process(bare));
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
}

/** Whether the host of a URL is an address and not a name. The URL parser normalises other notations of IPv4. */
export const isLiteralAddress = (hostname: string): boolean => ipaddr.isValid(withoutBrackets(hostname));

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1");

function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || !address.match(TRANSLATED, TRANSLATED_BITS)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
