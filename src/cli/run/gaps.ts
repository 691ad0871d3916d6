import { MAX_GAP_MS } from "../../metrics/segments.js";
import { RecordingReader } from "../../reading/recording-reader.js";
import { type ChunkReader, ChunkSource } from "../../sources/source.js";

/** A period without rows within a range. It is too short to end the range, but longer than a few missing rows. */
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

/** A device at 1 Hz occasionally misses a row, so only gaps of two seconds or more are reported. */
const MIN_GAP_MS = 2_000;
const MAX_LISTED = 5;

/** Passes the chunks of a source through, and finds the gaps between their rows. */
export class GapWatch extends ChunkSource {
  readonly #source: ChunkReader;
  readonly #reader: RecordingReader<"columns">;
  #isReading = true;
  #previousMs = 0;
  /** Start and end of each piece of the current range. A step back in time begins a new piece. */
  #pieces: number[] = [];
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
    const stepMs = ms - this.#previousMs;
    this.#previousMs = ms;
    if (Math.abs(stepMs) > MAX_GAP_MS) this.#endRange();
    if (this.#pieces.length > 0 && stepMs >= 0 && stepMs < MIN_GAP_MS)
      this.#pieces[this.#pieces.length - 1] = ms;
    else this.#pieces.push(ms, ms);
  }

  /** Finds gaps between the pieces in chronological order, because rows after a step back in time may fill a gap. */
  #endRange(): void {
    const pieces = this.#pieces;
    const order = Uint32Array.from({ length: pieces.length / 2 }, (_, i) => 2 * i);
    const startOf = (piece: number) => pieces[piece] ?? 0;
    order.sort((a, b) => startOf(a) - startOf(b));
    let coveredMs = startOf(order[0] ?? 0);
    for (const piece of order) {
      if (startOf(piece) - coveredMs >= MIN_GAP_MS) this.#addGap(coveredMs, startOf(piece));
      coveredMs = Math.max(coveredMs, pieces[piece + 1] ?? 0);
    }
    this.#pieces = [];
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
