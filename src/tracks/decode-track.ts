import { AsiError } from "../errors.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { promisesOfReading } from "../sources/promise-of-reading.js";
import { type ChunkReader, readChunks } from "../sources/source.js";
import type { SampleBatch, Source } from "../types.js";
import { readFirstBytes } from "./first-bytes.js";
import { type TrackBeatBatch, TrackIntervals } from "./track-intervals.js";
import { DETECTION_BYTES, trackKind } from "./track-kind.js";
import type { TrackDamage, TrackFormat, TrackParser } from "./track-parser.js";
import { type PointsLeftOut, TrackRows } from "./track-rows.js";

/** Numbers of items that are not used. */
export interface LeftOut extends PointsLeftOut {
  /** RR intervals before the first time of the track, or with a length of 0 or more than 60 s. */
  intervals: number;
}

/** Summary of a track that has been read to its end, or to the first error. */
export interface TrackSummary {
  format: TrackFormat;
  /** Number of rows. */
  rows: number;
  /** Earliest row, ms since 1970 UTC; null if there are no rows. */
  start: number | null;
  /** Latest row, ms since 1970 UTC; null if there are no rows. */
  end: number | null;
  /**
   * Number of rows whose speed is missing in the track. It is computed from the previous and the current position. The first
   * row of a segment gets the speed of the second, or 0 if there is none.
   */
  speedsFromPositions: number;
  /** Unit of the speeds in the track. TCX requires m/s, but some devices write km/h; those speeds are divided by 3.6. */
  speedUnit: "m/s" | "km/h";
  /** Number of RR intervals in the `hrv` messages of a FIT file, which `decodeTrackBeats` reads; 0 for GPX and TCX. */
  intervals: number;
  /** Points without a resulting row, and RR intervals that are not used. */
  leftOut: LeftOut;
  /**
   * The position from which a FIT file is damaged; only content before it is read. Null if the file is complete, and always for
   * GPX and TCX.
   */
  damage: TrackDamage | null;
}

/**
 * The rows of a track. They can be iterated once; a second iteration throws `ALREADY_READ`. The promise is fulfilled at the end
 * of the iteration, and rejected if the iteration fails or stops early. Awaiting it before the iteration starts rejects with
 * `NOT_READ`.
 */
export interface TrackDecoding<Batch = SampleBatch> extends AsyncIterable<Batch> {
  /** Fulfilled when the whole track has been read. */
  readonly summary: Promise<TrackSummary>;
}

// The number of bytes that are parsed at once. It limits the number of rows that are parsed but not yet returned.
const PIECE = 1 << 16;

/**
 * Reads a FIT, GPX or TCX file of any manufacturer as columns of integers. The format is detected from the content. Positions are
 * rounded to 1e-7 degrees, times to 1 ms, altitudes to 1 mm and speeds to 1 mm/s. Points without a time or position are omitted
 * and counted. The source is read only as fast as you iterate, and released when you leave the loop early.
 *
 * If a FIT file is damaged or truncated, only the rows before the damage are returned; `damage` in the summary is its position.
 *
 * @throws AsiError `BAD_SOURCE` immediately; while iterating `BAD_TRACK`, with the byte or line, if the input is not a track, or is
 * damaged: a FIT file before its first row, GPX and TCX anywhere. A track without rows yields no batch.
 */
export function decodeTrack(source: Source): TrackDecoding {
  return decodingOf(source, ({ rows, intervals }, isEnd) => {
    intervals.take(isEnd);
    return isEnd ? rows.takeRest() : rows.take();
  });
}

/**
 * Reads the RR intervals in the `hrv` messages of a FIT file of any manufacturer, as beats. FIT contains no times for them, so
 * the intervals are added to the time of a record; docs/metrics.md, "Heart-rate variability", describes the rule. Tracks without
 * RR intervals, which include all GPX and TCX files, yield no batch.
 *
 * @throws AsiError like `decodeTrack`. If a FIT file is damaged, the intervals before the damage are returned.
 */
export function decodeTrackBeats(source: Source): TrackDecoding<TrackBeatBatch> {
  return decodingOf(source, ({ rows, intervals }, isEnd) => {
    if (isEnd) rows.takeRest();
    else rows.take();
    return intervals.take(isEnd);
  });
}

/** The parsed content that has not yet been returned. */
interface TrackContent {
  readonly rows: TrackRows;
  readonly intervals: TrackIntervals;
}

/** Takes everything that has been parsed, and returns the part that the caller wants. */
type Take<Batch> = (content: TrackContent, isEnd: boolean) => Batch[];

function decodingOf<Batch>(source: Source, take: Take<Batch>): TrackDecoding<Batch> {
  const reading = new TrackReading(readChunks(source), take);
  const promised = promisesOfReading(reading, "Iterate over the track (for await), then await it.");
  return {
    summary: promised("summary", reading.summary),
    [Symbol.asyncIterator]: () => reading.begin(),
  };
}

class TrackReading<Batch> {
  readonly summary: Promise<TrackSummary>;
  readonly #chunks: ChunkReader;
  readonly #take: Take<Batch>;
  readonly #content: TrackContent = { rows: new TrackRows(), intervals: new TrackIntervals() };
  #isBegun = false;
  #isOver = false;
  #fulfil: (summary: TrackSummary) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(chunks: ChunkReader, take: Take<Batch>) {
    this.#chunks = chunks;
    this.#take = take;
    this.summary = new Promise((resolve, reject) => {
      this.#fulfil = resolve;
      this.#reject = reject;
    });
    this.summary.catch(() => {});
  }

  isOver(): boolean {
    return this.#isOver;
  }

  // a caller that has received a batch may request the next one at any time
  isHeld(): boolean {
    return this.#isBegun;
  }

  endIfAborted(): void {}

  listenForAbort(): void {}

  begin(): AsyncGenerator<Batch, void, undefined> {
    if (this.#isBegun) {
      throw new AsiError(
        "ALREADY_READ",
        "The track has been iterated over already; decode it again, or keep the rows in an array.",
      );
    }
    this.#isBegun = true;
    return this.#batches();
  }

  async *#batches(): AsyncGenerator<Batch, void, undefined> {
    try {
      const first = await readFirstBytes(this.#chunks, DETECTION_BYTES);
      const parser = await parserFor(first, this.#content);
      for (let chunk: Uint8Array | null = first; chunk !== null; ) {
        for (let from = 0; from < chunk.length && parser.damage === null; from += PIECE) {
          if (isTurnDue()) await takeTurn();
          parser.push(chunk.subarray(from, from + PIECE));
          yield* this.#take(this.#content, false);
        }
        chunk = parser.damage === null ? await this.#chunks.read() : null;
      }
      parser.end();
      yield* this.#take(this.#content, true);
      this.#conclude(parser);
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      this.#isOver = true;
      // has no effect after the end of the track
      this.#reject(new AsiError("ABORTED", "The reading was cancelled."));
      // An error while closing must not hide the original error.
      try {
        await this.#chunks.close();
      } catch {}
    }
  }

  #conclude({ format, damage }: TrackParser): void {
    const { rows, start, end, speedsFromPositions, speedUnit, leftOut } = this.#content.rows;
    const { count: intervals, leftOut: intervalsLeftOut } = this.#content.intervals;
    if (format === null) return;
    this.#fulfil({
      format,
      rows,
      start,
      end,
      speedsFromPositions,
      speedUnit,
      intervals,
      leftOut: { ...leftOut, intervals: intervalsLeftOut },
      damage,
    });
  }
}

/** Loads the parser for a track on first use. */
async function parserFor(first: Uint8Array, { rows, intervals }: TrackContent): Promise<TrackParser> {
  switch (trackKind(first)) {
    case "fit": {
      const { FitTrack } = await import("./fit-track.js");
      return new FitTrack(rows, intervals);
    }
    case "xml": {
      const { XmlTrack } = await import("./xml-track.js");
      return new XmlTrack(rows, first);
    }
    case null:
      throw new AsiError("BAD_TRACK", "The track is neither a FIT file nor XML, the format of GPX and TCX.", {
        byteOffset: 0,
      });
  }
}
