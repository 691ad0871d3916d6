import ipaddr from "ipaddr.js";

/** Maximum length of the prefix that a subscriber gets (RFC 6177); the subscriber can choose the remaining bits. */
const SUBSCRIBER_PARTS = 4;

/**
 * Returns the key of a client in the throttles: its IPv4 address, or the first 64 bits of its IPv6 address.
 * @param ip address reported by the framework
 */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, SUBSCRIBER_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
