import type { Context } from "../domain/change/context.js";
import { recentEntries } from "../fairness/recent-entries.js";
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

/** Slots for jobs of one kind. Slow jobs of one kind do not delay other kinds. */
export interface LaneSettings {
  kind: JobKind;
  /** Maximum number of running jobs in this process. */
  places: number;
  /**
   * Maximum number of concurrent jobs per receiver, for jobs that call receivers. With this limit, no group or account gets the
   * last free slots, because slow receivers may occupy slots for a long time.
   */
  perReceiver?: number;
}

/**
 * Maximum number of accounts that a pass asks for jobs of receivers. Receivers that are busy or slow can leave nothing to lease, and the
 * other lanes wait for a pass. The next pass continues with the next account.
 */
const MOST_ASKED = 100;

/** Number of groups for which a lane remembers the account served last. */
const MAX_GROUPS = 10_000;

/** Reads the groups, accounts or receivers with jobs, in order, after the given one; null begins with the first. */
type Reading<Key> = (after: Key | null) => Promise<Sharer<Key>[]>;

/** Yields the groups, accounts or receivers with a due job, in batches, starting after the one that was served last. */
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

/**
 * Leases jobs of one kind while slots are free, round-robin over groups and over the accounts of a group, with a limit per
 * receiver.
 */
export class Lane {
  readonly #settings: LaneSettings;
  readonly #running = new Set<Job>();
  /** Group served last. */
  #served: string | null = null;
  /** Account served last in each group. */
  readonly #servedOf = recentEntries<number>(MAX_GROUPS);
  /** Receiver after which the next query of an account begins. */
  readonly #receiversSeen = recentEntries<string>(MAX_GROUPS);

  constructor(settings: LaneSettings) {
    this.#settings = settings;
  }

  get kind(): JobKind {
    return this.#settings.kind;
  }

  /** Call it when a started job has ended. */
  done(job: Job): void {
    this.#running.delete(job);
  }

  /**
   * Leases jobs of each group once while slots are free. Call it again only after the other lanes: with short jobs, slots would become
   * free again until no job is left.
   * @param start starts a job
   * @returns whether it leased jobs; there may then be more
   */
  async fill(ctx: Context, start: (job: Job) => void): Promise<boolean> {
    const { queries, clock } = ctx;
    const begin = (job: Job) => {
      this.#running.add(job);
      start(job);
    };
    let hasLeased = false;
    const budget = { asked: 0 };
    const groups = rounds(this.#served, (after) => groupsWaiting(queries, this.kind, after, clock.now()));
    for await (const { sharers, last } of groups) {
      for (const [index, group] of sharers.entries()) {
        const places = this.#shareOfGroup(group, sharers.length - index);
        const began = places > 0 ? await this.#fillGroup(ctx, group, places, begin, budget) : 0;
        hasLeased ||= began > 0;
        const isUsedUp = budget.asked === MOST_ASKED;
        if (began > 0 || isUsedUp) this.#served = group;
        if (this.#free === 0 || isUsedUp) return hasLeased;
      }
      if (last) break;
    }
    return hasLeased;
  }

  /** Leases jobs of one group. @returns the number of jobs */
  async #fillGroup(
    ctx: Context,
    group: string,
    places: number,
    begin: (job: Job) => void,
    budget: { asked: number },
  ): Promise<number> {
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
        if (share > 0 && this.#settings.perReceiver !== undefined) budget.asked++;
        const isUsedUp = budget.asked === MOST_ASKED;
        if (jobs.length > 0 || isUsedUp) this.#servedOf.set(group, account);
        if (left === 0 || isUsedUp) return places - left;
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

  /** Returns how many further slots a group gets, if `groups` groups have due jobs. */
  #shareOfGroup(group: string, groups: number): number {
    const free = this.#free;
    if (this.#settings.perReceiver === undefined) return Math.ceil(free / groups);
    const held = this.#held(({ chargedGroup }) => chargedGroup === group);
    // A group may hold at most three times as many slots as it leaves free.
    return Math.max(0, Math.ceil((3 * free - held) / 4));
  }

  /** Returns how many slots of the group an account gets, if `accounts` accounts have due jobs. */
  #shareOfAccount(account: number, places: number, accounts: number): number {
    if (this.#settings.perReceiver === undefined) return Math.ceil(places / accounts);
    const held = this.#held(({ chargedTo }) => chargedTo === account);
    // An account may hold at most as many slots as it leaves free.
    return Math.max(0, Math.min(places, Math.ceil((this.#free - held) / 2)));
  }

  async #lease(ctx: Context, charged: Charged, places: number): Promise<Job[]> {
    const { queries, clock, config } = ctx;
    const { kind, perReceiver } = this.#settings;
    const now = clock.now();
    if (perReceiver === undefined) return leaseOf(queries, config.jobLeaseMs, kind, charged, places, now);
    // Read one page, however many receivers wait for their next attempt, and after the last page also the first. The next pass, at the
    // latest the next poll, continues after the receiver served last, or after the page if none was served.
    const key = `${charged.group} ${charged.account}`;
    const after = this.#receiversSeen.get(key) ?? "";
    const page = (from: string) => receiversWaiting(queries, kind, charged, from, now);
    const found = await page(after);
    if (after !== "" && found.length < LOOK_AHEAD) {
      const seen = new Set(found.map(({ key: receiver }) => receiver));
      found.push(...(await page("")).filter(({ key: receiver }) => !seen.has(receiver)));
    }
    const free = this.#freeOf(found, perReceiver);
    const jobs =
      free.length === 0
        ? []
        : await leaseOfReceivers(queries, config.jobLeaseMs, kind, charged, free, places, now);
    const served = found.findLast(({ key: receiver }) => jobs.some((job) => job.receiver === receiver));
    const last = served ?? found[LOOK_AHEAD - 1];
    if (last === undefined) this.#receiversSeen.delete(key);
    else this.#receiversSeen.set(key, last.key);
    return jobs;
  }

  /** Returns receivers with a due job and a free slot, and the number of their free slots. */
  #freeOf(found: readonly Sharer<string>[], perReceiver: number): { receiver: string; places: number }[] {
    return found.flatMap(({ key: receiver, due }) => {
      const busy = [...this.#running].filter((job) => job.receiver === receiver).length;
      return due && busy < perReceiver ? [{ receiver, places: perReceiver - busy }] : [];
    });
  }
}
