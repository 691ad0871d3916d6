import type { Waiter } from "../../change/compute-pool.js";

/** A user of the room, whose samples in memory are limited: an account, or an address with all its accounts. */
interface User {
  name: string;
  most: number;
}

interface Waiting {
  samples: number;
  users: readonly User[];
  enter: () => void;
}

/**
 * Limits the samples that computations have in memory at the same time: in total, of an address, and of an account. The limit of an
 * address is lower than the total, so computations of others that fit into the rest need not wait.
 */
export class SampleRoom {
  readonly #most: { total: number; ofAddress: number; ofAccount: number };
  #total = 0;
  readonly #samplesOf = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(most: { total: number; ofAddress: number; ofAccount: number }) {
    this.#most = most;
  }

  /**
   * Waits until there is room. Those who came first enter first, except while the limit of an account or address keeps them waiting.
   * @param samples a larger number than the limit of an account counts as this limit
   * @returns a function that leaves the room
   * @throws the reason of the signal when it is aborted before
   */
  async enter({ account, group }: Waiter, samples: number, signal: AbortSignal): Promise<() => void> {
    const { ofAccount, ofAddress } = this.#most;
    const counted = Math.min(samples, ofAccount);
    const users = [
      { name: `account ${account}`, most: ofAccount },
      ...(group === undefined ? [] : [{ name: `address ${group}`, most: ofAddress }]),
    ];
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
        this.#admit();
      };
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const waiting = { samples: counted, users, enter };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiting);
      this.#admit();
    });
    return () => {
      this.#add(users, -counted);
      this.#admit();
    };
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      const { samples, users, enter } = waiting;
      if (users.some(({ name, most }) => (this.#samplesOf.get(name) ?? 0) + samples > most)) continue;
      // Otherwise, small computations could keep a large one waiting.
      if (this.#total + samples > this.#most.total) return;
      this.#waiting.delete(waiting);
      this.#add(users, samples);
      enter();
    }
  }

  #add(users: readonly User[], samples: number): void {
    this.#total += samples;
    for (const { name } of users) {
      const now = (this.#samplesOf.get(name) ?? 0) + samples;
      if (now === 0) this.#samplesOf.delete(name);
      else this.#samplesOf.set(name, now);
    }
  }
}
