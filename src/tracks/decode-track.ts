import { AsiError } from "../errors.js";
import { isTurnDue, takeTurn } from "../event-loop-turns.js";
import { promisesOfReading } from "../promise-of-reading.js";
import { type ChunkReader, readChunks } from "../source.js";
import type { SampleBatch, Source } from "../types.js";
import { readFirstBytes } from "./first-bytes.js";
import { TELLING_BYTES, trackKind } from "./track-kind.js";
import type { TrackFormat, TrackParser } from "./track-parser.js";
import { type LeftOut, TrackRows } from "./track-rows.js";

/** What is known of a track when it has been read. */
export interface TrackSummary {
  format: TrackFormat;
  /** How many rows it gave. */
  rows: number;
  /** Earliest row, ms since 1970 UTC; null without rows. */
  start: number | null;
  /** Latest row, ms since 1970 UTC; null without rows. */
  end: number | null;
  /**
   * Rows for which the track tells no speed: it is that from the position before to theirs, for the first of a segment that of
   * the second, and 0 where there is no other.
   */
  speedsFromPositions: number;
  /** What the speeds of the track were in. Some devices write km/h into TCX, where m/s belong; then they were divided by 3.6. */
  speedUnit: "m/s" | "km/h";
  /** Points that gave no row. */
  leftOut: LeftOut;
}

/**
 * Rows of a track, as it is read. Can be iterated once: another time throws `ALREADY_READ`. The promise is fulfilled by
 * iterating, and rejected when that fails or is left early; with `NOT_READ` when it is awaited before the iteration has begun.
 */
export interface TrackDecoding extends AsyncIterable<SampleBatch> {
  /** What was in the track: fulfilled when all has been read. */
  readonly summary: Promise<TrackSummary>;
}

// What is parsed at a time: rows of so many bytes wait to be handed over.
const PIECE = 1 << 16;

/**
 * Reads the track of a device of any maker, a FIT, GPX or TCX file, told by its content, as columns of integers. Positions are
 * rounded to 1e-7 degrees, times to 1 ms, altitudes to 1 mm, speeds to 1 mm/s. Points without time or position are left out
 * and counted. Reads no faster than you iterate; leaving the loop early lets the source go.
 *
 * @throws AsiError `BAD_SOURCE` at once; while iterating `BAD_TRACK` with the byte or line, for what is no track, or one that
 * is damaged or cut off. A track without rows gives no batch.
 */
export function decodeTrack(source: Source): TrackDecoding {
  const reading = new TrackReading(readChunks(source));
  const promised = promisesOfReading(reading, "Iterate over the track (for await), then await it.");
  return {
    summary: promised("summary", reading.summary),
    [Symbol.asyncIterator]: () => reading.begin(),
  };
}

class TrackReading {
  readonly summary: Promise<TrackSummary>;
  readonly #chunks: ChunkReader;
  readonly #rows = new TrackRows();
  #isBegun = false;
  #isOver = false;
  #fulfil: (summary: TrackSummary) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(chunks: ChunkReader) {
    this.#chunks = chunks;
    this.summary = new Promise((resolve, reject) => {
      this.#fulfil = resolve;
      this.#reject = reject;
    });
    this.summary.catch(() => {});
  }

  isOver(): boolean {
    return this.#isOver;
  }

  // a caller who has taken a batch may ask for the next at any time
  isHeld(): boolean {
    return this.#isBegun;
  }

  endIfAborted(): void {}

  hearAbort(): void {}

  begin(): AsyncGenerator<SampleBatch, void, undefined> {
    if (this.#isBegun) {
      throw new AsiError(
        "ALREADY_READ",
        "The track has been iterated over already; decode it again, or keep the rows in an array.",
      );
    }
    this.#isBegun = true;
    return this.#batches();
  }

  async *#batches(): AsyncGenerator<SampleBatch, void, undefined> {
    try {
      const first = await readFirstBytes(this.#chunks, TELLING_BYTES);
      const parser = await parserFor(first, this.#rows);
      for (let chunk: Uint8Array | null = first; chunk !== null; chunk = await this.#chunks.read()) {
        for (let from = 0; from < chunk.length; from += PIECE) {
          if (isTurnDue()) await takeTurn();
          parser.push(chunk.subarray(from, from + PIECE));
          yield* this.#rows.take();
        }
      }
      parser.end();
      yield* this.#rows.takeRest();
      this.#conclude(parser.format);
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      this.#isOver = true;
      // changes nothing where it has come to its end
      this.#reject(new AsiError("ABORTED", "The reading was cancelled."));
      // A source that fails to close must not hide why it was closed.
      try {
        await this.#chunks.close();
      } catch {}
    }
  }

  #conclude(format: TrackFormat | null): void {
    const { rows, start, end, speedsFromPositions, speedUnit, leftOut } = this.#rows;
    if (format !== null) this.#fulfil({ format, rows, start, end, speedsFromPositions, speedUnit, leftOut });
  }
}

/** Each parser is loaded when there is something for it to read. */
async function parserFor(first: Uint8Array, rows: TrackRows): Promise<TrackParser> {
  switch (trackKind(first)) {
    case "fit": {
      const { FitTrack } = await import("./fit-track.js");
      return new FitTrack(rows);
    }
    case "xml": {
      const { XmlTrack } = await import("./xml-track.js");
      return new XmlTrack(rows, first);
    }
    case null:
      throw new AsiError("BAD_TRACK", "The track is neither a FIT file nor XML, as GPX and TCX are.", {
        byteOffset: 0,
      });
  }
}
