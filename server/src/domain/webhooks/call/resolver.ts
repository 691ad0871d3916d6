import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { FairQueue } from "../../../fairness/fair-queue.js";
import type { AddressLookup } from "../../change/address-lookup.js";

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/** Time limit and number of queries for each name server. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Maximum number of concurrent lookups of one account; further lookups wait. */
const PER_ACCOUNT = 4;

/** RFC 6761 section 6.3: the name and its subdomains are always loopback, regardless of name servers. */
const LOOPBACK = /^(.+\.)?localhost\.?$/i;

export interface ResolverSettings {
  /** Addresses and ports of name servers; default: the servers of the system. */
  servers?: readonly string[];
  hostsFile?: string;
}

/**
 * Resolves names by the hosts file and then by the name servers, with separate sockets for each name. The built-in lookup of
 * Node.js occupies one of a few threads until the name server responds, which delays other lookups, file reads and hashes. Here,
 * no account waits for the lookups of another account.
 */
export function createLookup({ servers, hostsFile = HOSTS_FILE }: ResolverSettings = {}): AddressLookup {
  const lookups = new FairQueue<number>({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: PER_ACCOUNT,
  });
  return (hostname, { account = 0, signal } = {}) =>
    lookups.run(account, () => resolve(hostname, { servers, hostsFile }, signal), signal);
}

async function resolve(
  hostname: string,
  { servers, hostsFile }: { servers: readonly string[] | undefined; hostsFile: string },
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (LOOPBACK.test(hostname)) return ["127.0.0.1", "::1"];
  const listed = await inHostsFile(hostname, hostsFile);
  if (listed.length > 0) return listed;
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal?.throwIfAborted();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    signal?.throwIfAborted();
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failed = answers.find((answer) => answer.status === "rejected");
    if (addresses.length === 0) throw failed?.reason ?? new Error(`No address for ${hostname}.`);
    return addresses;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

/**
 * Reads the hosts file (hosts(5)): each line has an address and its names. The file is not cached, because operators may change
 * it.
 */
async function inHostsFile(hostname: string, file: string): Promise<string[]> {
  const wanted = hostname.toLowerCase().replace(/\.$/, "");
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
}
