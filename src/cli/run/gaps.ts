import { MAX_GAP_MS } from "../../metrics/segments.js";
import { RecordingReader } from "../../reading/recording-reader.js";
import { type ChunkReader, ChunkSource } from "../../sources/source.js";
import { type Interval, lengthOf, united } from "../../squad/interval.js";
import { recordedSpans } from "../../squad/recorded-time.js";

/** A period without rows within a range. It is too short to end the range, but a gap for the figures (docs/metrics.md, "The signal"). */
export interface Gap {
  /** Times of the rows before and after the gap in chronological order, ms since 1970 UTC. */
  start: number;
  stop: number;
}

export interface Gaps {
  count: number;
  totalMs: number;
  /** The longest gaps, at most 5, in chronological order. */
  longest: Gap[];
}

const MAX_LISTED = 5;

/** Passes the chunks of a source through, and finds the gaps between their rows. */
export class GapWatch extends ChunkSource {
  readonly #source: ChunkReader;
  readonly #reader: RecordingReader<"columns">;
  #isReading = true;
  #previousMs = 0;
  /** Times of the rows of the current range. */
  #times: number[] = [];
  readonly #recorded: Interval[] = [];
  readonly #gaps: Gaps = { count: 0, totalMs: 0, longest: [] };

  constructor(source: ChunkReader, serial: string | undefined) {
    super();
    this.#source = source;
    this.#reader = new RecordingReader({ output: "columns", serial, hr: "device" });
  }

  /** Returns the gaps. Available after everything has been read. */
  get gaps(): Gaps {
    this.#endRange();
    return { ...this.#gaps, longest: [...this.#gaps.longest].sort((a, b) => a.start - b.start) };
  }

  /** Returns the time without gaps, ms. Like the figures, it counts repeated times once. Available after everything has been read. */
  get recordedMs(): number {
    this.#endRange();
    return lengthOf(united(this.#recorded));
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
      // the reader of the chunks receives the same error
      this.#isReading = false;
    }
    return chunk;
  }

  #addRow(ms: number): void {
    if (Math.abs(ms - this.#previousMs) > MAX_GAP_MS) this.#endRange();
    this.#previousMs = ms;
    this.#times.push(ms);
  }

  /** Finds gaps between the rows in chronological order, because rows after a step back in time may fill a gap. */
  #endRange(): void {
    const timestampMs = Float64Array.from(this.#times).sort();
    this.#times = [];
    let endMs: number | null = null;
    for (const span of recordedSpans({ length: timestampMs.length, timestampMs })) {
      this.#recorded.push(span);
      if (endMs !== null) this.#addGap(endMs, span.startMs);
      endMs = span.endMs;
    }
  }

  #addGap(start: number, stop: number): void {
    const { longest } = this.#gaps;
    this.#gaps.count += 1;
    this.#gaps.totalMs += stop - start;
    longest.push({ start, stop });
    if (longest.length <= MAX_LISTED) return;
    longest.sort((a, b) => b.stop - b.start - (a.stop - a.start));
    longest.pop();
  }
}
