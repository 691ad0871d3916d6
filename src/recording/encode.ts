import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { iterate, iteratorResult } from "../sources/iterate.js";
import type { Row } from "../types.js";
import { type RecordingHeader, writeHeader } from "./header.js";
import { FRAME_OVERHEAD, frame, writeFrame } from "./ubx.js";

/** A row to encode, as returned by `decodeRows`. `hr` and `altitude` are optional. */
export type EncodableRow = Omit<Row, "altitude" | "hr"> & Partial<Pick<Row, "altitude" | "hr">>;

const GNSS_PAYLOAD_LENGTH = 92;
const HR_PAYLOAD_LENGTH = 12;
// Maximum size of a row: two frames.
const MAX_ROW_BYTES = GNSS_PAYLOAD_LENGTH + HR_PAYLOAD_LENGTH + 2 * FRAME_OVERHEAD;
const ROWS_PER_CHUNK = 2048;

/**
 * Encodes rows as a recording: a GNSS frame (NAV-PVT) for each row, preceded by an ECG frame if the row has a heart rate.
 * Decoding returns the same rows, with coordinates rounded to 1e-7 degrees, and altitude and speed rounded to 0.001. The rows are
 * read only as fast as the stream is read.
 *
 * @param rows in the order of the recording; they need not be sorted by time
 * @throws AsiError `BAD_OPTION` for the header and `BAD_SOURCE` for the rows immediately; through the stream `BAD_ROW` for a
 * row that a recording cannot represent
 */
export function encode(
  rows: Iterable<EncodableRow> | AsyncIterable<EncodableRow>,
  header: RecordingHeader,
): ReadableStream<Uint8Array> {
  return encodeRows(rows, header, (rowNumber) => ({ name: `Row ${rowNumber}`, line: undefined }));
}

/** The position of a row, for error messages. */
export interface RowPlace {
  name: string;
  /** Line from which the row was read, if the source is a text. */
  line: number | undefined;
}

/**
 * Works like `encode`, but errors do not identify a row only by its number. `placeOf` returns the position of the row with this
 * number, counted from 1.
 */
export function encodeRows(
  rows: Iterable<EncodableRow> | AsyncIterable<EncodableRow>,
  header: RecordingHeader,
  placeOf: (rowNumber: number) => RowPlace,
): ReadableStream<Uint8Array> {
  const head = frame("header", writeHeader(header));
  const { iterator, isAsync } = iteratorOf(rows);
  let rowNumber = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(head);
      },
      async pull(controller) {
        if (isTurnDue()) await takeTurn();
        const chunk = new RowChunk();
        while (chunk.rows < ROWS_PER_CHUNK) {
          const answer = iterator.next();
          // awaiting each row of an array would take longer than encoding the row
          const result = iteratorResult(isAsync ? await answer : (answer as IteratorResult<EncodableRow>));
          if (result.done === true) {
            if (chunk.rows > 0) controller.enqueue(chunk.bytes());
            controller.close();
            return;
          }
          rowNumber += 1;
          try {
            chunk.add(result.value);
          } catch (error) {
            await iterator.return?.();
            throw error instanceof BadField ? badRow(error, placeOf(rowNumber)) : error;
          }
        }
        controller.enqueue(chunk.bytes());
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function iteratorOf(rows: Iterable<EncodableRow> | AsyncIterable<EncodableRow>): {
  iterator: Iterator<EncodableRow> | AsyncIterator<EncodableRow>;
  isAsync: boolean;
} {
  if (typeof rows === "object" && rows !== null) {
    const iterated = iterate<EncodableRow>(rows);
    if (iterated !== null) return iterated;
  }
  throw new AsiError("BAD_SOURCE", "The rows are not iterable; pass an array, or the result of decodeRows.");
}

class RowChunk {
  rows = 0;
  readonly #bytes = new Uint8Array(ROWS_PER_CHUNK * MAX_ROW_BYTES);
  // all rows share one object, because creating one takes longer than writing it
  readonly #gnss = new GnssPayload();
  #end = 0;

  /** Adds a row. Throws `BadField`. */
  add(row: EncodableRow): void {
    if (typeof row !== "object" || row === null) {
      throw new BadField(`it is ${shown(row)}; it must be an object as decodeRows returns it.`);
    }
    const { timestamp } = row;
    if (row.hr !== undefined && row.hr !== null) {
      this.#end = writeFrame(this.#bytes, this.#end, "ecgHr", heartRatePayload(timestamp, row.hr));
    }
    this.#end = writeFrame(this.#bytes, this.#end, "gnss", this.#gnss.of(row));
    this.rows += 1;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }
}

// years 1 to 9999
const EARLIEST_MS = Date.parse("0001-01-01T00:00:00Z");
/** The latest instant that a recording can contain, ms since 1970 UTC. */
export const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

class GnssPayload {
  readonly #bytes = new Uint8Array(GNSS_PAYLOAD_LENGTH);
  readonly #view = new DataView(this.#bytes.buffer);

  /** Writes all fields of a row. The returned bytes are valid until the next row. */
  of(row: EncodableRow): Uint8Array {
    const timestampMs = whole(row.timestamp, 1, "timestamp", EARLIEST_MS, LATEST_MS);
    const latitudeE7 = whole(row.latitude, 1e7, "latitude", -90, 90);
    const longitudeE7 = whole(row.longitude, 1e7, "longitude", -180, 180);
    const altitudeMm = whole(row.altitude ?? 0, 1e3, "altitude", MIN_METRES, MAX_METRES);
    const speedMmPerS = whole(row.speed, 1e3, "speed", MIN_METRES, MAX_METRES);
    const is2d = row.altitude === undefined || row.altitude === null;

    const payload = this.#bytes;
    const view = this.#view;
    const date = new Date(timestampMs);
    view.setUint16(4, date.getUTCFullYear(), true);
    payload[6] = date.getUTCMonth() + 1;
    payload[7] = date.getUTCDate();
    payload[8] = date.getUTCHours();
    payload[9] = date.getUTCMinutes();
    payload[10] = date.getUTCSeconds();
    payload[11] = 0b111; // the date and time are valid and fully resolved
    view.setInt32(16, date.getUTCMilliseconds() * 1_000_000, true);
    payload[20] = is2d ? 2 : 3;
    payload[21] = 0b1; // gnssFixOK
    view.setInt32(24, longitudeE7, true);
    view.setInt32(28, latitudeE7, true);
    view.setInt32(36, altitudeMm, true);
    view.setInt32(60, speedMmPerS, true);
    return payload;
  }
}

const MIN_METRES = -2147483.648;
const MAX_METRES = 2147483.647;

function heartRatePayload(timestampMs: number, hr: number): Uint8Array {
  const wholeMs = whole(timestampMs, 1, "timestamp", EARLIEST_MS, LATEST_MS);
  if (timestampMs < 0) {
    throw new BadField("a heart rate before 1970 cannot be recorded; use null.");
  }
  const payload = new Uint8Array(HR_PAYLOAD_LENGTH);
  const view = new DataView(payload.buffer);
  view.setBigUint64(0, BigInt(wholeMs), true);
  payload[8] = whole(hr, 1, "hr", 1, 255);
  payload[9] = 100; // quality
  return payload;
}

/** An error for a value that a recording cannot represent. The caller adds the position of the row. */
class BadField extends Error {}

function badRow({ message }: BadField, { name, line }: RowPlace): AsiError {
  return new AsiError("BAD_ROW", `${name}: ${message}`, { line });
}

// Converts a value to an integer in units of 1 / `scale`.
function whole(value: number, scale: number, field: keyof Row, min: number, max: number): number {
  if (typeof value !== "number" || !(value >= min && value <= max)) {
    throw new BadField(`${field} is ${shown(value)}; it must be a number from ${min} to ${max}.`);
  }
  return Math.round(value * scale);
}
