import { LRUCache } from "lru-cache";
import type { Context } from "../domain/change/context.js";
import {
  accountsWaiting,
  type Charged,
  groupsWaiting,
  LOOK_AHEAD,
  leaseOf,
  leaseOfReceivers,
  receiversWaiting,
  type Sharer,
} from "../store/queue/job-lease.js";
import type { Job, JobKind } from "../store/queue/job-queue.js";

/** Jobs of one kind with separate places, so that slow jobs of one kind do not delay other kinds. */
export interface LaneSettings {
  kind: JobKind;
  /** Jobs that this process runs at a time. */
  places: number;
  /**
   * For jobs that call receivers: the number of jobs that call one receiver at a time. A group or an account then never gets
   * the last free places, because slow receivers may occupy its places for a long time.
   */
  perReceiver?: number;
}

/** Groups whose last account a lane remembers. */
const MAX_GROUPS = 10_000;

/** Reads those who have jobs, in order, after the given one (null: from the first). */
type Reading<Key> = (after: Key | null) => Promise<Sharer<Key>[]>;

/** Those with a job that is due, in batches, from the one after the last served. */
async function* rounds<Key extends string | number>(
  served: Key | null,
  read: Reading<Key>,
): AsyncGenerator<{ sharers: Key[]; last: boolean }> {
  let after = served;
  let wrapped = served === null;
  for (;;) {
    const found = await read(after);
    const end = wrapped && served !== null ? found.findIndex(({ key }) => isAfter(key, served)) : -1;
    const inTurn = end === -1 ? found : found.slice(0, end);
    const ended = found.length < LOOK_AHEAD || inTurn.length < found.length;
    yield { sharers: inTurn.flatMap(({ key, due }) => (due ? [key] : [])), last: wrapped && ended };
    after = ended ? null : (found.at(-1)?.key ?? null);
    wrapped ||= ended;
  }
}

const isAfter = <Key extends string | number>(a: Key, b: Key) => a > b;

/** Takes jobs of one kind while places are free. Groups take turns, and in each group its accounts; each receiver has its limit. */
export class Lane {
  readonly #settings: LaneSettings;
  readonly #running = new Set<Job>();
  /** The group that had the last turn. */
  #served: string | null = null;
  /** The account of each group that had its last turn. */
  readonly #servedOf = new LRUCache<string, number>({ max: MAX_GROUPS });
  /** The last receiver checked for each account of a group that has more receivers than one query returns. */
  readonly #receiversSeen = new LRUCache<string, string>({ max: MAX_GROUPS });

  constructor(settings: LaneSettings) {
    this.#settings = settings;
  }

  get kind(): JobKind {
    return this.#settings.kind;
  }

  /** Called when a job that was handed out has ended. */
  done(job: Job): void {
    this.#running.delete(job);
  }

  /** Takes jobs until no place is free or nothing is due. @param start begins the work of a job */
  async fill(ctx: Context, start: (job: Job) => void): Promise<void> {
    const { queries, clock } = ctx;
    const begin = (job: Job) => {
      this.#running.add(job);
      start(job);
    };
    let taken: number;
    do {
      taken = 0;
      const groups = rounds(this.#served, (after) => groupsWaiting(queries, this.kind, after, clock.now()));
      for await (const { sharers, last } of groups) {
        for (const [index, group] of sharers.entries()) {
          const places = this.#shareOfGroup(group, sharers.length - index);
          const began = places > 0 ? await this.#fillGroup(ctx, group, places, begin) : 0;
          taken += began;
          if (began > 0) this.#served = group;
          if (this.#free === 0) return;
        }
        if (last) break;
      }
    } while (taken > 0);
  }

  /** Takes jobs of one group. @returns how many */
  async #fillGroup(ctx: Context, group: string, places: number, begin: (job: Job) => void): Promise<number> {
    const { queries, clock } = ctx;
    let left = places;
    const accounts = rounds(this.#servedOf.get(group) ?? null, (after) =>
      accountsWaiting(queries, this.kind, group, after, clock.now()),
    );
    for await (const { sharers, last } of accounts) {
      for (const [index, account] of sharers.entries()) {
        const share = this.#shareOfAccount(account, left, sharers.length - index);
        const jobs = share > 0 ? await this.#lease(ctx, { group, account }, share) : [];
        for (const job of jobs) begin(job);
        left -= jobs.length;
        if (jobs.length > 0) this.#servedOf.set(group, account);
        if (left === 0) return places;
      }
      if (last) break;
    }
    return places - left;
  }

  get #free(): number {
    return this.#settings.places - this.#running.size;
  }

  #held(isOne: (job: Job) => boolean): number {
    return [...this.#running].filter(isOne).length;
  }

  /** How many more places a group gets, when it is one of `groups` that have work. */
  #shareOfGroup(group: string, groups: number): number {
    const free = this.#free;
    if (this.#settings.perReceiver === undefined) return Math.ceil(free / groups);
    const held = this.#held(({ chargedGroup }) => chargedGroup === group);
    // A group may hold at most three times as many places as it leaves free.
    return Math.max(0, Math.ceil((3 * free - held) / 4));
  }

  /** How many of the places of its group an account gets, when it is one of `accounts` that have work. */
  #shareOfAccount(account: number, places: number, accounts: number): number {
    if (this.#settings.perReceiver === undefined) return Math.ceil(places / accounts);
    const held = this.#held(({ chargedTo }) => chargedTo === account);
    // An account may hold at most as many places as it leaves free.
    return Math.max(0, Math.min(places, Math.ceil((this.#free - held) / 2)));
  }

  async #lease(ctx: Context, charged: Charged, places: number): Promise<Job[]> {
    const { queries, clock, config } = ctx;
    const { kind, perReceiver } = this.#settings;
    const now = clock.now();
    if (perReceiver === undefined) return leaseOf(queries, config.jobLeaseMs, kind, charged, places, now);
    const key = `${charged.group} ${charged.account}`;
    const seen = this.#receiversSeen.get(key) ?? "";
    // Starts after the last receiver of the previous query, then from the first receiver.
    for (const [begin, end] of seen === ""
      ? ([["", null]] as const)
      : ([
          [seen, null],
          ["", seen],
        ] as const)) {
      let from: string | null = begin;
      while (from !== null) {
        const found: Sharer<string>[] = await receiversWaiting(queries, kind, charged, from, now);
        const next: string | undefined = found.length < LOOK_AHEAD ? undefined : found.at(-1)?.key;
        if (next === undefined) this.#receiversSeen.delete(key);
        else this.#receiversSeen.set(key, next);
        const free = this.#freeOf(found, perReceiver);
        const jobs =
          free.length === 0
            ? []
            : await leaseOfReceivers(queries, config.jobLeaseMs, kind, charged, free, places, now);
        if (jobs.length > 0) return jobs;
        from = next === undefined || (end !== null && next >= end) ? null : next;
      }
    }
    return [];
  }

  /** The receivers with a job that is due that may be called now, and how many times. */
  #freeOf(found: readonly Sharer<string>[], perReceiver: number): { receiver: string; places: number }[] {
    return found.flatMap(({ key: receiver, due }) => {
      const busy = [...this.#running].filter((job) => job.receiver === receiver).length;
      return due && busy < perReceiver ? [{ receiver, places: perReceiver - busy }] : [];
    });
  }
}
