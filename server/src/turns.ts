interface TurnsSettings {
  /** Tasks that run at a time. */
  concurrency: number;
  /** Tasks of one caller that run at a time; any number unless given. */
  concurrencyPerCaller?: number;
  /** Tasks of one group that run at a time; any number unless given. */
  concurrencyPerGroup?: number;
  /** Tasks of one caller that may wait; any number unless given. */
  maxWaitingPerCaller?: number;
  /** Tasks of all callers that may wait; any number unless given. */
  maxWaiting?: number;
  /** Whether a place stays taken after a task as long as the task took, so that one caller works half of the time at most. */
  rests?: boolean;
  /** The error of a task that finds too many waiting. */
  refusal?: () => Error;
}

/** What somebody has used of the places. */
interface Use {
  running: number;
  waitingCount: number;
  /** How long the tasks ran, ms, counted on from the level at which the first of them came. */
  usedMs: number;
}

/** All callers of an address, for example. */
interface Group extends Use {
  readonly name: unknown;
  readonly shares: Map<unknown, Share>;
  /** The `usedMs` of its caller whose turn came last. */
  levelMs: number;
}

/** The tasks of a caller. */
interface Share extends Use {
  readonly group: Group;
  /** Each starts a task that waits; the oldest first. */
  readonly waiting: Set<() => void>;
}

const isIdle = ({ running, waitingCount }: Use) => running === 0 && waitingCount === 0;

/** Somebody who comes, or comes again, begins where those are whose turn it is, unless the last turns took longer. */
function comeUpTo(use: Use, levelMs: number): void {
  if (isIdle(use)) use.usedMs = Math.max(use.usedMs, levelMs);
}

/** Whose turn comes before whose. */
const isBefore = (a: Share, b: Share) =>
  a.group.usedMs < b.group.usedMs || (a.group.usedMs === b.group.usedMs && a.usedMs < b.usedMs);

/**
 * Runs a bounded number of tasks at a time. The next one is of the caller whose tasks have used the least time, so that
 * neither many tasks nor long ones of a caller hold up those of another. Callers may belong to a group, such as all
 * accounts that come from one address; then the group that has used the least time comes first, so that nobody gets more
 * by being many. What a caller has used is remembered until the others have used as much: leaving and coming again gains
 * nothing (start-time fair queueing, P. Goyal, H. M. Vin and H. Cheng, 1997).
 */
export class Turns<Caller> {
  readonly #settings: Required<TurnsSettings>;
  #running = 0;
  #waitingCount = 0;
  /**
   * Callers with tasks that run or wait, and those who have used more than others who wait. Each turn sends its caller to
   * the end: among equals the first is next.
   */
  readonly #shares = new Map<Caller, Share>();
  readonly #groups = new Map<unknown, Group>();
  /** The `usedMs` of the group whose turn came last. */
  #levelMs = 0;
  /** Whether places are given out in the next turn of the event loop. */
  #givingOut = false;

  constructor(settings: TurnsSettings) {
    this.#settings = {
      concurrencyPerCaller: Number.POSITIVE_INFINITY,
      concurrencyPerGroup: Number.POSITIVE_INFINITY,
      maxWaitingPerCaller: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      rests: false,
      refusal: () => new Error("Too many tasks wait."),
      ...settings,
    };
  }

  /**
   * Runs the task when it is the caller's turn.
   * @param signal takes a task that waits out of the queue; a task that has begun goes on
   * @param group of the caller; unless given, the caller is alone in it
   * @throws the `refusal` when too many tasks wait already; the signal's reason; whatever the task throws
   */
  async run<T>(
    caller: Caller,
    task: () => Promise<T>,
    signal?: AbortSignal,
    group: unknown = caller,
  ): Promise<T> {
    const end = await this.take(caller, signal, group);
    try {
      return await task();
    } finally {
      end();
    }
  }

  /**
   * Waits for the caller's turn; for tasks that end elsewhere than they begin.
   * @returns ends the turn
   * @throws as `run`
   */
  async take(caller: Caller, signal?: AbortSignal, group: unknown = caller): Promise<() => void> {
    signal?.throwIfAborted();
    const share = this.#shareOf(caller, group);
    if (!this.#givingOut && this.#mayStart(share)) {
      this.#begin(share);
    } else {
      await this.#wait(share, signal);
    }
    const beganMs = performance.now();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const tookMs = performance.now() - beganMs;
      if (this.#settings.rests) setTimeout(() => this.#end(caller, share, tookMs), tookMs).unref();
      else this.#end(caller, share, tookMs);
    };
  }

  #shareOf(caller: Caller, groupName: unknown): Share {
    const group = this.#shares.get(caller)?.group ?? this.#groups.get(groupName) ?? this.#newGroup(groupName);
    const share = group.shares.get(caller) ?? this.#newShare(caller, group);
    comeUpTo(group, this.#levelMs);
    comeUpTo(share, group.levelMs);
    return share;
  }

  #newGroup(name: unknown): Group {
    const group = { name, running: 0, waitingCount: 0, usedMs: 0, levelMs: 0, shares: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  #newShare(caller: Caller, group: Group): Share {
    const share = { group, running: 0, waitingCount: 0, usedMs: 0, waiting: new Set<() => void>() };
    group.shares.set(caller, share);
    this.#shares.set(caller, share);
    return share;
  }

  #mayStart({ running, group }: Share): boolean {
    const { concurrency, concurrencyPerCaller, concurrencyPerGroup } = this.#settings;
    return (
      this.#running < concurrency && running < concurrencyPerCaller && group.running < concurrencyPerGroup
    );
  }

  #begin(share: Share): void {
    const { group } = share;
    this.#running += 1;
    share.running += 1;
    group.running += 1;
    this.#levelMs = Math.max(this.#levelMs, group.usedMs);
    group.levelMs = Math.max(group.levelMs, share.usedMs);
  }

  #countWaiting(share: Share, change: 1 | -1): void {
    this.#waitingCount += change;
    share.waitingCount += change;
    share.group.waitingCount += change;
  }

  #wait(share: Share, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitingPerCaller, refusal } = this.#settings;
    if (share.waiting.size >= maxWaitingPerCaller || this.#waitingCount >= maxWaiting) {
      this.#forget();
      throw refusal();
    }
    this.#countWaiting(share, 1);
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        share.waiting.delete(start);
        this.#countWaiting(share, -1);
        this.#forget();
        reject(signal?.reason);
      };
      share.waiting.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #end(caller: Caller, share: Share, tookMs: number): void {
    this.#running -= 1;
    for (const use of [share, share.group]) {
      use.running -= 1;
      use.usedMs += tookMs;
    }
    this.#moveToEnd(caller, share);
    if (this.#waitingCount === 0) this.#forget();
    else this.#giveOut();
  }

  /**
   * Not at once: what follows from the task that has ended, such as the next query of a request, is to be there when the
   * next caller is chosen. Otherwise each of its queries would wait for a long task of another.
   */
  #giveOut(): void {
    if (this.#givingOut) return;
    this.#givingOut = true;
    setImmediate(() => {
      this.#givingOut = false;
      while (this.#startNext());
      this.#forget();
    });
  }

  #moveToEnd(caller: Caller, share: Share): void {
    this.#shares.delete(caller);
    this.#shares.set(caller, share);
  }

  /** Forgets groups that are idle; while others wait, only those that have used no more than the group whose turn it is. */
  #forget(): void {
    for (const [name, group] of this.#groups) {
      if (!isIdle(group) || (this.#waitingCount > 0 && group.usedMs > this.#levelMs)) continue;
      this.#groups.delete(name);
      for (const caller of group.shares.keys()) this.#shares.delete(caller as Caller);
    }
  }

  /**
   * Starts the oldest task of the caller who has used the least time, of those who may have one more.
   * @returns whether there was one
   */
  #startNext(): boolean {
    let next: [Caller, Share] | undefined;
    for (const [caller, share] of this.#shares) {
      if (share.waiting.size === 0 || !this.#mayStart(share)) continue;
      if (next === undefined || isBefore(share, next[1])) next = [caller, share];
    }
    if (next === undefined) return false;
    const [caller, share] = next;
    const [start] = share.waiting;
    if (start === undefined) return false;
    share.waiting.delete(start);
    this.#countWaiting(share, -1);
    this.#begin(share);
    this.#moveToEnd(caller, share);
    start();
    return true;
  }
}
