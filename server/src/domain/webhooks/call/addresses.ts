import ipaddr from "ipaddr.js";

/** 2000::/3 is the only range assigned for global unicast (RFC 4291 section 2.4, IANA IPv6 address space). */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");
const GLOBAL_UNICAST_BITS = 3;

/** Well-known prefix of IPv4 addresses behind a translator (RFC 6052 section 2.1); the last four bytes are the address. */
const TRANSLATED = ipaddr.IPv6.parse("64:ff9b::");
const TRANSLATED_BITS = 96;

/**
 * Whether an address belongs to the public Internet. Loopback, private, link-local, multicast, reserved and tunnel
 * addresses do not. An IPv4 address embedded in IPv6 is checked as an IPv4 address.
 * @param text an IP address from `dns.lookup` or a socket, optionally with brackets around IPv6; false for other texts
 */
export function isPublicAddress(text: string): boolean {
  const bare = withoutBrackets(text);
  if (!ipaddr.isValid(bare)) return false;
  const address = embedded(ipaddr.process(bare));
  if (address.range() !== "unicast" || isNeverCalled(bare)) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
}

/**
 * Metadata addresses of clouds, which give the machine's credentials to any process: AWS (IPv6), Google (IPv6), Alibaba, Oracle
 * and Azure. The common 169.254.169.254 is link-local.
 */
const METADATA: ReadonlySet<string> = new Set(
  ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"].map((text) =>
    ipaddr.parse(text).toNormalizedString(),
  ),
);

/**
 * Ranges of ipaddr.js for translators within a network (RFC 8215, RFC 2765), which can place the IPv4 address anywhere. The well-known
 * prefix is not one of them, because its IPv4 address is checked.
 */
const TRANSLATED_ELSEWHERE: ReadonlySet<string> = new Set(["rfc6052", "rfc6145"]);

/** 6to4 (RFC 3056): bytes 2 to 5 are an IPv4 address. */
const SIX_TO_FOUR = ipaddr.IPv6.parse("2002::");
const SIX_TO_FOUR_BITS = 16;
/** Deprecated IPv4-compatible addresses (RFC 4291 section 2.5.5.1): the last four bytes. URLs write them as `[::a9fe:a9fe]`. */
const COMPATIBLE = ipaddr.IPv6.parse("::");
const COMPATIBLE_BITS = 96;

/**
 * Whether an address is a link-local or cloud metadata address, which is never called, even if private addresses are
 * allowed. An IPv4 address embedded in IPv6 is checked as an IPv4 address.
 */
export function isNeverCalled(text: string): boolean {
  const bare = withoutBrackets(text);
  if (!ipaddr.isValid(bare)) return false;
  const address = embedded(ipaddr.process(bare));
  // A zone, as in fe80::1%eth0, is not part of the address.
  const plain = address instanceof ipaddr.IPv6 ? new ipaddr.IPv6(address.parts) : address;
  if (plain.range() === "linkLocal" || METADATA.has(plain.toNormalizedString())) return true;
  if (TRANSLATED_ELSEWHERE.has(plain.range())) return true;
  if (plain instanceof ipaddr.IPv4) return false;
  const bytes = plain.toByteArray();
  const isOfBytes = (begin: number) =>
    isNeverCalled(new ipaddr.IPv4(bytes.slice(begin, begin + 4)).toString());
  return (
    (plain.match(SIX_TO_FOUR, SIX_TO_FOUR_BITS) && isOfBytes(2)) ||
    (plain.match(COMPATIBLE, COMPATIBLE_BITS) && isOfBytes(12))
  );
}

/** Whether the host of a URL is an address and not a name. The URL parser normalises other notations of IPv4. */
export const isLiteralAddress = (hostname: string): boolean => ipaddr.isValid(withoutBrackets(hostname));

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1");

function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || !address.match(TRANSLATED, TRANSLATED_BITS)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
