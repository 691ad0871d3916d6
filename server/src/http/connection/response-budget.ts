import { errors } from "../../domain/change/errors.js";
import { RecentUse } from "../../fairness/recent-use.js";
import { Tally } from "../../fairness/tally.js";
import { ResponseShare, type Transfer } from "./response-share.js";

/** Limits in bytes or slots. */
interface Limits {
  process: number;
  address: number;
  caller: number;
  /** Maximum duration of the slowest response while others wait because the process is full, ms. */
  fairHoldMs: number;
  /**
   * The same limit for an address above its fair share, which is the total divided by the number of addresses with
   * unread responses or waiting requests.
   */
  overShareHoldMs: number;
  /**
   * While others wait, a client may be slower than this rate for `overShareHoldMs`. Then its slot goes to an address that holds
   * less and has recently used less. By default, there is no such rate.
   */
  busyBytesPerSecond?: number;
  /** Creates the error for a request that has waited too long because the process is full. */
  refusal(): Error;
}

interface Waiter {
  share: ResponseShare;
  bytes: number;
  start(): void;
}

/** Maximum waiting time of a request, and maximum number of waiting requests of one caller. */
const WAIT_MS = 15_000;
/**
 * Interval at which a waiting request looks for a response that has taken too long, and waiting time after which it considers all
 * addresses.
 */
const POLL_MS = WAIT_MS / 4;
const POLL_ALL_MS = WAIT_MS / 2;
const MAX_WAITING_OF_CALLER = 1000;
const RETRY_AFTER_MS = 2_000;

/** @param others amount that the other responses hold */
const fits = (bytes: number, others: number, limit: number) => others === 0 || others + bytes <= limit;

const NOTHING_KNOWN: Transfer = { bytes: 0, waitsForClient: false };

/**
 * Limits the bytes of response bodies in a process until their clients have read them: in total, per address, and per caller. A
 * request waits for space before its body is created, so slow readers delay only themselves. Among the requests that wait for the
 * process, the request whose address holds the least is first. A caller that holds nothing has space for one body of any size,
 * unless the process is full.
 */
export class ResponseBudget {
  readonly #limits: Limits;
  #held = 0;
  readonly #byCaller = new Tally<string>();
  readonly #byAddress = new Tally<string>();
  readonly #waitingOf = new Tally<string>();
  readonly #waiting = new Set<Waiter>();
  readonly #shares = new Set<ResponseShare>();
  readonly #usedBefore: RecentUse;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#usedBefore = new RecentUse(limits.fairHoldMs);
  }

  /** Bytes currently held. */
  get held(): number {
    return this.#held;
  }

  /** Number of requests that wait for space. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns the amount currently held by a caller. */
  heldBy(caller: string): number {
    return this.#byCaller.get(caller);
  }

  /**
   * Starts counting a response.
   * @param end ends its connection
   * @param transfer returns the progress of its connection; default: the client counts as fast
   */
  open(caller: string, address: string, end: () => void, transfer = () => NOTHING_KNOWN): ResponseShare {
    return new ResponseShare(this, caller, address, end, transfer);
  }

  async reserve(share: ResponseShare, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (share.isReleased) return;
    if (!this.#hasRoom(share, bytes)) await this.#wait(share, bytes, signal);
    else this.resize(share, bytes);
  }

  resize(share: ResponseShare, bytes: number): void {
    const change = bytes - share.bytes;
    if (share.bytes === 0) share.begin();
    else if (bytes === 0 && this.#limits.busyBytesPerSecond !== undefined)
      this.#usedBefore.add(share.address, share.heldMs);
    share.bytes = bytes;
    this.#held += change;
    this.#byCaller.add(share.caller, change);
    this.#byAddress.add(share.address, change);
    if (bytes > 0) this.#shares.add(share);
    else this.#shares.delete(share);
    if (change < 0) this.#startWaiting();
  }

  #hasRoom(share: ResponseShare, bytes: number): boolean {
    return this.#hasOwnRoom(share, bytes) && fits(bytes, this.#held - share.bytes, this.#limits.process);
  }

  /** Whether the caller and its address have space, if the process has. */
  #hasOwnRoom({ caller, address, bytes: held }: ResponseShare, bytes: number): boolean {
    return (
      fits(bytes, this.#byAddress.get(address) - held, this.#limits.address) &&
      fits(bytes, this.#byCaller.get(caller) - held, this.#limits.caller)
    );
  }

  #wait(share: ResponseShare, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waitingOf.get(share.caller) >= MAX_WAITING_OF_CALLER) throw errors.throttled(RETRY_AFTER_MS);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearInterval(polls);
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#waiting.delete(waiter);
        this.#waitingOf.add(share.caller, -1);
      };
      const waiter: Waiter = {
        share,
        bytes,
        start: () => {
          leave();
          this.resize(share, bytes);
          resolve();
        },
      };
      const refuse = (error: unknown) => {
        leave();
        reject(error);
      };
      const onAbort = () => refuse(signal?.reason);
      const sinceMs = performance.now();
      const polls = setInterval(() => {
        if (!this.#hasOwnRoom(share, bytes)) return;
        const overShare = this.#overShare();
        if (overShare !== undefined && this.#endOverShare(overShare, waiter)) return;
        if (performance.now() - sinceMs < POLL_ALL_MS) return;
        if (overShare !== undefined || !this.#endSlow(waiter)) this.#endSlowest();
      }, POLL_MS).unref();
      const timer = setTimeout(() => {
        refuse(this.#hasOwnRoom(share, bytes) ? this.#limits.refusal() : errors.throttled(RETRY_AFTER_MS));
      }, WAIT_MS).unref();
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiter);
      this.#waitingOf.add(share.caller, 1);
    });
  }

  #startWaiting(): void {
    for (;;) {
      let next: Waiter | undefined;
      for (const waiter of this.#waiting) {
        if (!this.#hasRoom(waiter.share, waiter.bytes)) continue;
        if (next === undefined || this.#heldBeside(waiter) < this.#heldBeside(next)) next = waiter;
      }
      if (next === undefined) return;
      next.start();
    }
  }

  #heldBeside({ share }: Waiter): number {
    return this.#byAddress.get(share.address) - share.bytes;
  }

  /** Returns the limit divided by the number of addresses with unread responses or waiting requests. */
  #fairShare(): number {
    const addresses = new Set(
      [...this.#shares, ...[...this.#waiting].map(({ share }) => share)].map((one) => one.address),
    );
    return this.#limits.process / addresses.size;
  }

  /** Returns the longest-running response of the address that holds the most, if this address exceeds its fair share. */
  #overShare(): ResponseShare | undefined {
    const slowest = this.#slowest();
    if (slowest === undefined) return undefined;
    const held = this.#byAddress.get(slowest.address);
    // A single response never exceeds the fair share.
    return held > this.#fairShare() && held > slowest.bytes ? slowest : undefined;
  }

  /** Ends a response in favour of an address that would stay within its own share. @returns whether it has ended */
  #endOverShare(overShare: ResponseShare, waiter: Waiter): boolean {
    if (!fits(waiter.bytes, this.#heldBeside(waiter), this.#fairShare())) return false;
    return this.#endAfter(overShare, this.#limits.overShareHoldMs);
  }

  /**
   * Ends a response with a slow client. Chooses the address with the most recent use, if it has used more than the
   * waiting address and holds at least as much as that address requests. Two addresses therefore cannot alternately end
   * the slow upload of a third.
   * @returns whether there was one
   */
  #endSlow(waiter: Waiter): boolean {
    const { address } = waiter.share;
    const { busyBytesPerSecond = 0, overShareHoldMs } = this.#limits;
    const wanted = this.#heldBeside(waiter) + waiter.bytes;
    const used = this.#used();
    let most = used.get(address) ?? this.#usedBefore.get(address);
    let found: ResponseShare | undefined;
    for (const share of this.#shares) {
      if (share.heldMs <= overShareHoldMs || this.#byAddress.get(share.address) < wanted) continue;
      const usedMs = used.get(share.address) ?? 0;
      if (usedMs < most || (usedMs === most && share.sinceMs >= (found?.sinceMs ?? 0))) continue;
      if (!share.isSlowerThan(busyBytesPerSecond)) continue;
      found = share;
      most = usedMs;
    }
    found?.end();
    return found !== undefined;
  }

  /** Returns the recent use of each address that holds something, including its current use, ms. */
  #used(): Map<string, number> {
    const used = new Map<string, number>();
    for (const { address, heldMs } of this.#shares)
      used.set(address, (used.get(address) ?? this.#usedBefore.get(address)) + heldMs);
    return used;
  }

  /** Ends the slowest response of all, regardless of shares. */
  #endSlowest(): void {
    const slowest = this.#slowest();
    if (slowest !== undefined) this.#endAfter(slowest, this.#limits.fairHoldMs);
  }

  #endAfter(share: ResponseShare, holdMs: number): boolean {
    if (share.heldMs <= holdMs) return false;
    share.end();
    return true;
  }

  /** Returns the longest-running response of the address that holds the most. */
  #slowest(): ResponseShare | undefined {
    let slowest: ResponseShare | undefined;
    for (const share of this.#shares) {
      const more =
        slowest === undefined ? 1 : this.#byAddress.get(share.address) - this.#byAddress.get(slowest.address);
      if (more > 0 || (more === 0 && share.sinceMs < (slowest?.sinceMs ?? 0))) slowest = share;
    }
    return slowest;
  }
}
