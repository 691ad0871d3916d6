import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { AddressLookup } from "../../address-lookup.js";

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/** Each server is asked twice. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Concurrent lookups of one account; further ones wait. */
const PER_ACCOUNT = 4;

/** RFC 6761 section 6.3: the name and those below it are loopback, whatever a server says. */
const LOOPBACK = /^(.+\.)?localhost\.?$/i;

export interface ResolverSettings {
  /** Addresses and ports of name servers; default: those of the system. */
  servers?: readonly string[];
  hostsFile?: string;
}

/**
 * Looks names up in the hosts file and then at the name servers, for each name on sockets of its own. Node's own lookup
 * holds one of a few threads until the name server answers, and other lookups, files and hashes wait for a thread; here
 * no account waits for another account's name.
 */
export function createLookup({ servers, hostsFile = HOSTS_FILE }: ResolverSettings = {}): AddressLookup {
  const limits = new Map<number, ConcurrencyLimit>();
  return async (hostname, { account = 0, signal } = {}) => {
    const own = limits.get(account) ?? new ConcurrencyLimit(PER_ACCOUNT);
    limits.set(account, own);
    try {
      return await own.run(signal, () => resolve(hostname, { servers, hostsFile }, signal));
    } finally {
      if (own.idle) limits.delete(account);
    }
  };
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

/** Lines of an address and its names (hosts(5)). Read again each time: operators change it under a running service. */
async function inHostsFile(hostname: string, file: string): Promise<string[]> {
  const wanted = hostname.toLowerCase().replace(/\.$/, "");
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
}

/** Runs a bounded number of tasks at a time, the others in the order of their arrival. */
class ConcurrencyLimit {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  async run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await this.#turn(signal);
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** @throws the signal's reason when it is aborted before the turn comes */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((done, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener("abort", leave);
        done();
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(enter);
    });
  }
}
