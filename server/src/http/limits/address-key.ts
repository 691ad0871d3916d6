import ipaddr from "ipaddr.js";

/**
 * Length of the prefix that providers commonly assign to a subscriber, who can choose the remaining bits (RFC 6177, section 2).
 */
const SUBSCRIBER_BITS = 56;

/**
 * Returns the throttle key of a client: its IPv4 address, or the first 56 bits of its IPv6 address. An IPv4 host can choose the
 * last 80 bits of its 6to4 addresses (RFC 3056), so these count as the IPv4 address.
 * @param ip address reported by the framework
 */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  if (address.range() === "6to4") return new ipaddr.IPv4(address.toByteArray().slice(2, 6)).toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${SUBSCRIBER_BITS}`);
  return `${network.toString()}/${SUBSCRIBER_BITS}`;
}
