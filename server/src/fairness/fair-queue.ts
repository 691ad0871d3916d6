interface FairQueueSettings {
  /** Maximum number of running tasks. */
  concurrency: number;
  /** Maximum number of running tasks of one caller; default: no limit. */
  concurrencyPerCaller?: number;
  /** Maximum number of running tasks of one group; default: no limit. */
  concurrencyPerGroup?: number;
  /** Maximum number of waiting tasks of one caller; default: no limit. */
  maxWaitingPerCaller?: number;
  /** Maximum number of waiting tasks of one group; default: no limit. */
  maxWaitingPerGroup?: number;
  /** Maximum number of waiting tasks of all callers; default: no limit. */
  maxWaiting?: number;
  /**
   * Whether a slot remains occupied after a task ends, for as long as the task took (at most a second). The tasks of one caller
   * then run at most half of the time.
   */
  cooldown?: boolean;
  /** Creates the error for a task that is refused because too many tasks are waiting. */
  refusal?: () => Error;
}

/** Usage of a caller or a group. */
interface Use {
  running: number;
  waiting: number;
  /** Total run time of its tasks, ms, plus the level at which it started. */
  usedMs: number;
}

/** A set of users that share slots: the groups of the queue, or the callers of a group. */
interface Level {
  /** Number of users with running or waiting tasks. */
  busy: number;
  /** Average usage of a user, ms, at which new users start. */
  levelMs: number;
}

/** A group of callers, such as the accounts of one address. */
interface Group extends Use, Level {
  readonly name: unknown;
  readonly shares: Map<unknown, Share>;
}

/** Tasks of a caller. */
interface Share extends Use {
  readonly group: Group;
  /** Functions that start the waiting tasks, oldest first. */
  readonly queue: Set<() => void>;
}

/** Maximum pause after a task. */
const MAX_COOLDOWN_MS = 1_000;

const isIdle = ({ running, waiting }: Use) => running === 0 && waiting === 0;

/** Raises the usage of a user without waiting tasks to the level. Unused time therefore gives no credit. */
function raiseTo({ levelMs }: Level, use: Use): void {
  if (use.waiting === 0) use.usedMs = Math.max(use.usedMs, levelMs);
}

/** Adds to the usage of a user and to the level. */
function addUse(level: Level, use: Use, tookMs: number): void {
  use.usedMs += tookMs;
  level.levelMs += tookMs / level.busy;
}

/** Whether `a` is served before `b`. */
const isBefore = (a: Share, b: Share) =>
  a.group.usedMs < b.group.usedMs || (a.group.usedMs === b.group.usedMs && a.usedMs < b.usedMs);

/**
 * Runs a limited number of tasks concurrently. The caller whose tasks have used the least time is next. A caller with
 * many or long tasks therefore does not delay others. Callers may belong to a group, such as all accounts of one
 * address. The group that has used the least time is first, so using many accounts gives no advantage. The queue
 * remembers the usage of a caller until the others have used as much, so a caller gains nothing by leaving and
 * returning (fair queueing with virtual time: A. Demers, S. Keshav and S. Shenker, 1989).
 */
export class FairQueue<Key> {
  readonly #settings: Required<FairQueueSettings>;
  readonly #all: Omit<Use, "usedMs"> & Level = { running: 0, waiting: 0, busy: 0, levelMs: 0 };
  /**
   * Callers with running or waiting tasks, and callers that have used more than waiting ones. Starting a task moves its
   * caller to the end; among callers with equal usage, the first is next.
   */
  readonly #shares = new Map<Key, Share>();
  readonly #groups = new Map<unknown, Group>();
  /** Whether free slots are assigned in the next iteration of the event loop. */
  #isDispatching = false;

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#all.waiting;
  }

  constructor(settings: FairQueueSettings) {
    this.#settings = {
      concurrencyPerCaller: Number.POSITIVE_INFINITY,
      concurrencyPerGroup: Number.POSITIVE_INFINITY,
      maxWaitingPerCaller: Number.POSITIVE_INFINITY,
      maxWaitingPerGroup: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      cooldown: false,
      refusal: () => new Error("Too many tasks are waiting."),
      ...settings,
    };
  }

  /**
   * Runs the task when the caller is next and a slot is free.
   * @param signal removes a waiting task from the queue when it is aborted; a running task continues
   * @param group group of the caller, fixed while it has tasks; default: a separate group
   * @throws the `refusal` when too many tasks are waiting; the reason of the signal; any error of the task
   */
  async run<T>(
    caller: Key,
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
   * Waits for a slot. Use it for tasks that do not end in the function that starts them.
   * @returns function that releases the slot
   * @throws see `run`
   */
  async acquire(caller: Key, signal?: AbortSignal, group: unknown = caller): Promise<() => void> {
    signal?.throwIfAborted();
    const share = this.#shareOf(caller, group);
    if (!this.#isDispatching && this.#mayStart(share)) {
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
      if (!this.#settings.cooldown) this.#end(caller, share, tookMs);
      else setTimeout(() => this.#end(caller, share, tookMs), Math.min(tookMs, MAX_COOLDOWN_MS)).unref();
    };
  }

  #shareOf(caller: Key, groupName: unknown): Share {
    const share =
      this.#shares.get(caller) ??
      this.#newShare(caller, this.#groups.get(groupName) ?? this.#newGroup(groupName));
    raiseTo(this.#all, share.group);
    raiseTo(share.group, share);
    return share;
  }

  #newGroup(name: unknown): Group {
    const group = { name, running: 0, waiting: 0, usedMs: 0, busy: 0, levelMs: 0, shares: new Map() };
    this.#groups.set(name, group);
    return group;
  }

  #newShare(caller: Key, group: Group): Share {
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

  #wait(caller: Key, share: Share, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitingPerCaller, maxWaitingPerGroup, refusal } = this.#settings;
    if (
      share.waiting >= maxWaitingPerCaller ||
      share.group.waiting >= maxWaitingPerGroup ||
      this.#all.waiting >= maxWaiting
    ) {
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

  #end(caller: Key, share: Share, tookMs: number): void {
    addUse(this.#all, share.group, tookMs);
    addUse(share.group, share, tookMs);
    this.#count(share, "running", -1);
    this.#moveToEnd(caller, share);
    if (this.#all.waiting === 0) this.#forgetIdle(caller, share);
    else this.#dispatch();
  }

  /**
   * Assigns slots later, because a task that follows the finished one, such as the next query of a request, must already be
   * waiting when the next caller is chosen. Otherwise each query of a request would wait for a long task of another caller.
   */
  #dispatch(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      while (this.#startNext());
      for (const [caller, share] of this.#shares) this.#forgetIdle(caller, share);
    });
  }

  #moveToEnd(caller: Key, share: Share): void {
    this.#shares.delete(caller);
    this.#shares.set(caller, share);
  }

  /** Removes a caller without tasks, unless it has used more than waiting callers. */
  #forgetIdle(caller: Key, share: Share): void {
    const { group } = share;
    const isAhead = share.usedMs > group.levelMs || group.usedMs > this.#all.levelMs;
    if (!isIdle(share) || (isAhead && this.#all.waiting > 0)) return;
    this.#shares.delete(caller);
    group.shares.delete(caller);
    if (group.shares.size === 0) this.#groups.delete(group.name);
  }

  /**
   * Starts the oldest task of the caller that has used the least time and may run another task.
   * @returns whether a task was started
   */
  #startNext(): boolean {
    let next: [Key, Share] | undefined;
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
