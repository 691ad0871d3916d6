import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The address ranges that a name in `TRUST_PROXY` stands for. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ["loopback"],
  linklocal: ["linkLocal"],
  uniquelocal: ["private", "uniqueLocal"],
};

function matcher(entry: string): (address: Address) => boolean {
  const ranges = RANGES[entry];
  if (ranges !== undefined) return (address) => ranges.includes(address.range());
  if (!ipaddr.isValidCIDR(entry)) {
    const proxy = ipaddr.process(entry).toNormalizedString();
    return (address) => address.toNormalizedString() === proxy;
  }
  const [network, bits] = ipaddr.parseCIDR(entry);
  return (address) => address.kind() === network.kind() && address.match(network, bits);
}

/**
 * Whether an address belongs to a trusted proxy, which forwards requests of many clients.
 * @param trustProxy addresses, networks and names of `TRUST_PROXY`
 */
export function trustedProxies(trustProxy: readonly string[]): (ip: string) => boolean {
  const matchers = trustProxy.map(matcher);
  return (ip) => ipaddr.isValid(ip) && matchers.some((matches) => matches(ipaddr.process(ip)));
}
