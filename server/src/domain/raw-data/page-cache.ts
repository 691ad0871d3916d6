import type { Clock } from "../context.js";

/** A page of raw data as it is sent. */
export interface CachedPage {
  body: Uint8Array;
  etag: string;
}

/** How long a page may be shown after it was read (specification, "Limits": raw data cache lifetime). */
export const PAGE_LIFETIME_MS = 120_000;

/** The pages read last, each for 120 seconds, in bounded memory. Whoever reads from it has checked the caller's right. */
export class PageCache {
  /** In the order of their last use. */
  readonly #pages = new Map<string, CachedPage & { readAtMs: number }>();
  readonly #clock: Clock;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(clock: Clock, maxBytes: number) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
  }

  /** The page, if it was read at most 120 seconds ago; otherwise reads and keeps it. */
  async get(key: string, read: () => Promise<CachedPage>): Promise<CachedPage> {
    const nowMs = this.#clock.now().getTime();
    const known = this.#pages.get(key);
    if (known !== undefined) {
      this.#remove(key);
      if (nowMs - known.readAtMs < PAGE_LIFETIME_MS) {
        this.#keep(key, known);
        return known;
      }
    }
    // Its age counts from before the reading: what is stored meanwhile may be missing in it.
    const page = { ...(await read()), readAtMs: nowMs };
    this.#remove(key);
    this.#keep(key, page);
    return page;
  }

  #keep(key: string, page: CachedPage & { readAtMs: number }): void {
    const size = page.body.buffer.byteLength;
    if (size > this.#maxBytes) return;
    this.#pages.set(key, page);
    this.#bytes += size;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const page = this.#pages.get(key);
    if (page === undefined) return;
    this.#pages.delete(key);
    this.#bytes -= page.body.buffer.byteLength;
  }
}
