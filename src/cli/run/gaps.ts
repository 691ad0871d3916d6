import { MAX_GAP_MS } from "../../metrics/segments.js";
import { RecordingReader } from "../../reading/recording-reader.js";
import { type ChunkReader, ChunkSource } from "../../sources/source.js";

/** A period without rows within a range: too short to end the range, but longer than a few missing rows. */
export interface Gap {
  /** The times of the last row before and the first row after it, ms since 1970 UTC. */
  start: number;
  stop: number;
}

export interface Gaps {
  count: number;
  totalMs: number;
  /** The longest ones, at most 5, in order of time. */
  longest: Gap[];
}

/** A device at 1 Hz occasionally misses a row, so only gaps of two seconds or more are reported. */
const MIN_GAP_MS = 2_000;
const MAX_LISTED = 5;

/** Passes on the chunks of a source, and finds the gaps between their rows. */
export class GapWatch extends ChunkSource {
  readonly #source: ChunkReader;
  readonly #reader: RecordingReader<"columns">;
  #isReading = true;
  #previousMs: number | null = null;
  readonly #gaps: Gaps = { count: 0, totalMs: 0, longest: [] };

  constructor(source: ChunkReader, serial: string | undefined) {
    super();
    this.#source = source;
    this.#reader = new RecordingReader({ output: "columns", serial, hr: "device" });
  }

  /** The gaps found so far. */
  get gaps(): Gaps {
    return { ...this.#gaps, longest: [...this.#gaps.longest].sort((a, b) => a.start - b.start) };
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    const chunk = this.#source.read();
    return chunk instanceof Promise ? chunk.then((one) => this.#look(one)) : this.#look(chunk);
  }

  close(reason?: unknown): void | Promise<void> {
    this.#reader.close();
    return this.#source.close(reason);
  }

  #look(chunk: Uint8Array | null): Uint8Array | null {
    if (!this.#isReading) return chunk;
    try {
      const batches = chunk === null ? this.#reader.finish() : this.#reader.push(chunk);
      for (const { timestampMs } of batches) for (const ms of timestampMs) this.#addRow(ms);
    } catch {
      // the reader of the chunks gets this error too
      this.#isReading = false;
    }
    return chunk;
  }

  #addRow(ms: number): void {
    const start = this.#previousMs;
    this.#previousMs = ms;
    if (start === null || ms - start < MIN_GAP_MS || ms - start > MAX_GAP_MS) return;
    const { longest } = this.#gaps;
    this.#gaps.count += 1;
    this.#gaps.totalMs += ms - start;
    longest.push({ start, stop: ms });
    if (longest.length <= MAX_LISTED) return;
    longest.sort((a, b) => b.stop - b.start - (a.stop - a.start));
    longest.pop();
  }
}
