import type { Context } from "../domain/change/context.js";
import {
  accountsWaiting,
  type Group,
  type LeaseHolder,
  LOOK_AHEAD,
  leaseOf,
  leaseOfReceivers,
  receiversWaiting,
} from "../store/queue/job-lease.js";
import type { Job, JobKind } from "../store/queue/job-queue.js";

/** Jobs of one kind with separate places, so that slow jobs of one kind do not delay other kinds. */
export interface LaneSettings {
  kind: JobKind;
  /** Jobs that this process runs at a time. */
  places: number;
  /**
   * For jobs that call receivers: the number of jobs that call one receiver at a time. An account then never gets the last
   * free places, because slow receivers may occupy its places for a long time.
   */
  perReceiver?: number;
}

/** Lower than every account id, including `NOBODY`. */
const BEFORE_ALL = -1;

/** Takes jobs of one kind while places are free. Accounts take turns, and each receiver has its limit. */
export class Lane {
  readonly #settings: LaneSettings;
  readonly #running = new Set<Job>();
  /** The account that had the last turn. */
  #served = BEFORE_ALL;
  /** The last receiver checked for each account that has more receivers than one query returns. */
  readonly #receiversSeen = new Map<number, string>();

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
  async fill(ctx: Context, taker: LeaseHolder, start: (job: Job) => void): Promise<void> {
    let taken: number;
    do {
      taken = 0;
      for await (const { accounts, last } of this.#rounds(ctx)) {
        for (const [index, account] of accounts.entries()) {
          const places = this.#share(account, accounts.length - index);
          const jobs = places > 0 ? await this.#lease(ctx, taker, account, places) : [];
          for (const job of jobs) {
            this.#running.add(job);
            start(job);
          }
          taken += jobs.length;
          if (jobs.length > 0) this.#served = account;
          if (this.#free === 0) return;
        }
        if (last) break;
      }
    } while (taken > 0);
  }

  get #free(): number {
    return this.#settings.places - this.#running.size;
  }

  /** Accounts with a job that is due, in batches, from the one after the last served. */
  async *#rounds({ queries, clock }: Context): AsyncGenerator<{ accounts: number[]; last: boolean }> {
    const turn = this.#served;
    let after = turn;
    let wrapped = turn === BEFORE_ALL;
    for (;;) {
      const found: Group<number>[] = await accountsWaiting(queries, this.kind, after, clock.now());
      const inTurn = wrapped && turn !== BEFORE_ALL ? found.filter(({ key }) => key <= turn) : found;
      const ended = found.length < LOOK_AHEAD || inTurn.length < found.length;
      const accounts = inTurn.flatMap(({ key, due }) => (due ? [key] : []));
      yield { accounts, last: wrapped && ended };
      after = ended ? BEFORE_ALL : (found.at(-1)?.key ?? BEFORE_ALL);
      wrapped ||= ended;
    }
  }

  /** How many more places an account gets, when it is one of `accounts` that have work. */
  #share(account: number, accounts: number): number {
    const free = this.#free;
    if (this.#settings.perReceiver === undefined) return Math.ceil(free / accounts);
    const held = [...this.#running].filter(({ chargedTo }) => chargedTo === account).length;
    // An account may hold at most as many places as it leaves free.
    return Math.max(0, Math.ceil((free - held) / 2));
  }

  async #lease(ctx: Context, taker: LeaseHolder, account: number, places: number): Promise<Job[]> {
    const { queries, clock } = ctx;
    const { kind, perReceiver } = this.#settings;
    const now = clock.now();
    if (perReceiver === undefined) return leaseOf(queries, taker, kind, account, places, now);
    const seen = this.#receiversSeen.get(account) ?? "";
    // Starts after the last receiver of the previous query, then from the first receiver.
    for (const [begin, end] of seen === ""
      ? ([["", null]] as const)
      : ([
          [seen, null],
          ["", seen],
        ] as const)) {
      let from: string | null = begin;
      while (from !== null) {
        const found: Group<string>[] = await receiversWaiting(queries, kind, account, from, now);
        const next: string | undefined = found.length < LOOK_AHEAD ? undefined : found.at(-1)?.key;
        if (next === undefined) this.#receiversSeen.delete(account);
        else this.#receiversSeen.set(account, next);
        const free = this.#freeOf(found, perReceiver);
        const jobs =
          free.length === 0 ? [] : await leaseOfReceivers(queries, taker, kind, account, free, places, now);
        if (jobs.length > 0) return jobs;
        from = next === undefined || (end !== null && next >= end) ? null : next;
      }
    }
    return [];
  }

  /** The receivers with a job that is due that may be called now, and how many times. */
  #freeOf(found: readonly Group<string>[], perReceiver: number): { receiver: string; places: number }[] {
    return found.flatMap(({ key: receiver, due }) => {
      const busy = [...this.#running].filter((job) => job.receiver === receiver).length;
      return due && busy < perReceiver ? [{ receiver, places: perReceiver - busy }] : [];
    });
  }
}
