import ipaddr from "ipaddr.js";

/** A subscriber gets at least so much of IPv6 (RFC 6177), and may change all that follows at will. */
const SUBSCRIBER_PARTS = 4;

/**
 * What stands for a client in the throttles: an IPv4 address, or the first 64 bits of an IPv6 address.
 * @param ip as the framework gives it
 */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, SUBSCRIBER_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
