interface FairQueueSettings {
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
  /**
   * Whether a place stays taken after a task as long as the task took, a second at most, so that one caller works half of
   * the time.
   */
  rests?: boolean;
  /** The error of a task that finds too many waiting. */
  refusal?: () => Error;
}

/** The tasks of somebody. */
interface Use {
  running: number;
  waiting: number;
  /** How long the tasks ran, ms, counted on from the level at which the first of them came. */
  usedMs: number;
}

/** A number of users that share places. */
interface Level {
  /** Those with tasks that run or wait. */
  busy: number;
  /** What each of them has used on average, ms: where a newcomer begins. */
  levelMs: number;
}

/** All callers of an address, for example. */
interface Group extends Use, Level {
  readonly name: unknown;
  readonly shares: Map<unknown, Share>;
}

/** The tasks of a caller. */
interface Share extends Use {
  readonly group: Group;
  /** Each starts a task that waits; the oldest first. */
  readonly queue: Set<() => void>;
}

/** The longest rest after a task. */
const MAX_REST_MS = 1_000;

const isIdle = ({ running, waiting }: Use) => running === 0 && waiting === 0;

/** Raises a user who did not wait to the level: time that was not used before gives no credit. */
function raiseTo({ levelMs }: Level, use: Use): void {
  if (use.waiting === 0) use.usedMs = Math.max(use.usedMs, levelMs);
}

/** Counts what a user of the level has used. */
function addUse(level: Level, use: Use, tookMs: number): void {
  use.usedMs += tookMs;
  level.levelMs += tookMs / level.busy;
}

/** Order of turns. */
const isBefore = (a: Share, b: Share) =>
  a.group.usedMs < b.group.usedMs || (a.group.usedMs === b.group.usedMs && a.usedMs < b.usedMs);

/**
 * Runs a bounded number of tasks at a time. The next one is of the caller whose tasks have used the least time, so that
 * neither many tasks nor long ones of a caller hold up those of another. Callers may belong to a group, such as all
 * accounts that come from one address; then the group that has used the least time comes first, so that nobody gets more
 * by being many. What a caller has used is remembered until the others have used as much: leaving and coming again gains
 * nothing (fair queueing by a virtual time, as in A. Demers, S. Keshav and S. Shenker, 1989).
 */
export class FairQueue<Caller> {
  readonly #settings: Required<FairQueueSettings>;
  readonly #all: Omit<Use, "usedMs"> & Level = { running: 0, waiting: 0, busy: 0, levelMs: 0 };
  /**
   * Callers with tasks that run or wait, and those who have used more than others who wait. Each turn sends its caller to
   * the end: among equals the first is next.
   */
  readonly #shares = new Map<Caller, Share>();
  readonly #groups = new Map<unknown, Group>();
  /** Whether places are given out in the next turn of the event loop. */
  #givingOut = false;

  constructor(settings: FairQueueSettings) {
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
   * @param signal removes a waiting task from the queue; a running task continues
   * @param group of the caller; unless given, the caller is alone in it
   * @throws the `refusal` when too many tasks wait already; the signal's reason; whatever the task throws
   */
  async run<T>(
    caller: Caller,
    task: () => Promise<T>,
    signal?: AbortSignal,
    group: unknown = caller,
  ): Promise<T> {
    const end = await this.acquire(caller, signal, group);
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
  async acquire(caller: Caller, signal?: AbortSignal, group: unknown = caller): Promise<() => void> {
    signal?.throwIfAborted();
    const share = this.#shareOf(caller, group);
    if (!this.#givingOut && this.#mayStart(share)) {
      this.#count(share, "running", 1);
    } else {
      await this.#wait(caller, share, signal);
    }
    const beganMs = performance.now();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const tookMs = performance.now() - beganMs;
      if (!this.#settings.rests) this.#end(caller, share, tookMs);
      else setTimeout(() => this.#end(caller, share, tookMs), Math.min(tookMs, MAX_REST_MS)).unref();
    };
  }

  #shareOf(caller: Caller, groupName: unknown): Share {
    const group = this.#groups.get(groupName) ?? this.#newGroup(groupName);
    const share = this.#shares.get(caller) ?? this.#newShare(caller, group);
    raiseTo(this.#all, group);
    raiseTo(group, share);
    return share;
  }

  #newGroup(name: unknown): Group {
    const group = { name, running: 0, waiting: 0, usedMs: 0, busy: 0, levelMs: 0, shares: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  #newShare(caller: Caller, group: Group): Share {
    const share = { group, running: 0, waiting: 0, usedMs: 0, queue: new Set<() => void>() };
    group.shares.set(caller, share);
    this.#shares.set(caller, share);
    return share;
  }

  #mayStart({ running, group }: Share): boolean {
    const { concurrency, concurrencyPerCaller, concurrencyPerGroup } = this.#settings;
    return (
      this.#all.running < concurrency && running < concurrencyPerCaller && group.running < concurrencyPerGroup
    );
  }

  #count(share: Share, state: "running" | "waiting", change: 1 | -1): void {
    const { group } = share;
    const [wasIdle, groupWasIdle] = [isIdle(share), isIdle(group)];
    for (const counted of [share, group, this.#all]) counted[state] += change;
    group.busy += Number(wasIdle) - Number(isIdle(share));
    this.#all.busy += Number(groupWasIdle) - Number(isIdle(group));
  }

  #wait(caller: Caller, share: Share, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitingPerCaller, refusal } = this.#settings;
    if (share.waiting >= maxWaitingPerCaller || this.#all.waiting >= maxWaiting) {
      this.#forgetIdle(caller, share);
      throw refusal();
    }
    this.#count(share, "waiting", 1);
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        share.queue.delete(start);
        this.#count(share, "waiting", -1);
        this.#forgetIdle(caller, share);
        reject(signal?.reason);
      };
      share.queue.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  #end(caller: Caller, share: Share, tookMs: number): void {
    addUse(this.#all, share.group, tookMs);
    addUse(share.group, share, tookMs);
    this.#count(share, "running", -1);
    this.#moveToEnd(caller, share);
    if (this.#all.waiting === 0) this.#forgetIdle(caller, share);
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
      for (const [caller, share] of this.#shares) this.#forgetIdle(caller, share);
    });
  }

  #moveToEnd(caller: Caller, share: Share): void {
    this.#shares.delete(caller);
    this.#shares.set(caller, share);
  }

  /** Forgets a caller without tasks, unless others wait who have used less. */
  #forgetIdle(caller: Caller, share: Share): void {
    const { group } = share;
    const isAhead = share.usedMs > group.levelMs || group.usedMs > this.#all.levelMs;
    if (!isIdle(share) || (isAhead && this.#all.waiting > 0)) return;
    this.#shares.delete(caller);
    group.shares.delete(caller);
    if (group.shares.size === 0) this.#groups.delete(group.name);
  }

  /**
   * Starts the oldest task of the caller who has used the least time, of those who may have one more.
   * @returns whether there was one
   */
  #startNext(): boolean {
    let next: [Caller, Share] | undefined;
    for (const [caller, share] of this.#shares) {
      if (share.waiting === 0 || !this.#mayStart(share)) continue;
      if (next === undefined || isBefore(share, next[1])) next = [caller, share];
    }
    if (next === undefined) return false;
    const [caller, share] = next;
    const [start] = share.queue;
    if (start === undefined) return false;
    share.queue.delete(start);
    this.#count(share, "running", 1);
    this.#count(share, "waiting", -1);
    this.#moveToEnd(caller, share);
    start();
    return true;
  }
}
