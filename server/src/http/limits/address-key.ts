import ipaddr from "ipaddr.js";

/** A subscriber gets a prefix of at most this length (RFC 6177) and chooses the following bits freely. */
const SUBSCRIBER_PARTS = 4;

/**
 * The key of a client in the throttles: its IPv4 address, or the first 64 bits of its IPv6 address.
 * @param ip the address as the framework reports it
 */
export function addressKey(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, SUBSCRIBER_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
