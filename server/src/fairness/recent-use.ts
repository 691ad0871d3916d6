/** Recent use below this value, in ms, is negligible and dropped. */
const FORGOTTEN_MS = 1_000;

interface Use {
  ms: number;
  atMs: number;
}

/** The recent use of each address. Half of it counts after one half-life, a quarter after two. */
export class RecentUse {
  readonly #halfLifeMs: number;
  /** Ordered by last use. */
  readonly #of = new Map<string, Use>();

  constructor(halfLifeMs: number) {
    this.#halfLifeMs = halfLifeMs;
  }

  get(address: string): number {
    const use = this.#of.get(address);
    return use === undefined ? 0 : use.ms * 0.5 ** ((performance.now() - use.atMs) / this.#halfLifeMs);
  }

  add(address: string, ms: number): void {
    const use = { ms: this.get(address) + ms, atMs: performance.now() };
    this.#of.delete(address);
    this.#of.set(address, use);
    for (const [oldest] of this.#of) {
      if (this.get(oldest) >= FORGOTTEN_MS) return;
      this.#of.delete(oldest);
    }
  }
}
