import { AsiError } from "../../errors.js";
import type { SampleBatch } from "../../types.js";
import { CountedTime } from "../counted-time.js";
import { Totals } from "../totals.js";
import {
  ACTIVITY,
  APPLICATION_ID,
  DEVELOPER_DATA_ID,
  EVENT,
  EVENT_TYPES,
  EVENTS,
  FIELD_DESCRIPTION_MESSAGE,
  FILE_ID,
  HRV,
  LAP,
  RECORD,
  SESSION,
} from "./activity.js";
import { crc16 } from "./crc.js";
import { bytesOfMessages, intervalMessages } from "./interval-messages.js";
import {
  definitionBytes,
  type MessageType,
  messageBytes,
  type Value,
  writeDefinition,
  writeMessage,
} from "./messages.js";
import { BASE_TYPES, HEADER_BYTES, MILLISECONDS_FIELD } from "./profile.js";
import { fitSeconds, RECORD_BYTES, writeRecords } from "./record-block.js";
import type { RecordedRows } from "./recorded-rows.js";
import { SIGNATURE, SIGNATURE_AT } from "./signature.js";

/** Values that the header needs, which is written before the first row. */
export interface FitExtent {
  rows: number;
  ranges: number;
  /** Number of messages with RR intervals; default 0. */
  intervalMessages?: number;
}

/** Messages before the first row. Descriptions of developer fields precede the definitions that use them. */
const DESCRIPTIONS: readonly MessageType[] = [FILE_ID, DEVELOPER_DATA_ID, FIELD_DESCRIPTION_MESSAGE];
const AT_THE_END: readonly MessageType[] = [SESSION, ACTIVITY];
const ANYWHERE: readonly MessageType[] = [EVENT, RECORD, LAP];

const BYTES_ONCE =
  [...DESCRIPTIONS, ...ANYWHERE, ...AT_THE_END].reduce((sum, type) => sum + definitionBytes(type), 0) +
  [...DESCRIPTIONS, ...AT_THE_END].reduce((sum, type) => sum + messageBytes(type), 0);
// the start and the stop of the timer, and the lap
const BYTES_PER_RANGE = 2 * messageBytes(EVENT) + messageBytes(LAP);
const MOST_BYTES_AROUND_ROWS = HEADER_BYTES + BYTES_ONCE + bytesOfMessages(1) + BYTES_PER_RANGE;
// the header stores the length in 32 bits
const MAX_DATA_BYTES = 2 ** 32 - 1;
// "File Header": protocol version 2.0, the first one with developer fields, and the profile version in hundredths.
const PROTOCOL_VERSION = 0x20;
const PROFILE_VERSION = 2132;

/**
 * Writes an activity as a FIT file, with a record for each row, a lap for each range, and one session. Call `startRange` and
 * `rows` for each range, then `end`. The returned memory belongs to the caller. The writer keeps only totals, so it needs the
 * number of rows and ranges in advance.
 */
export class FitWriter {
  readonly #extent: Required<FitExtent>;
  readonly #productName: string;
  #crc = 0;
  #isBegun = false;
  /** The gaps in a range that starts with the next row; null if no range starts there. */
  #dueGaps: readonly number[] | null = null;
  /** All rows of the current or the next range, if only some rows are written. */
  #recorded: RecordedRows | null = null;
  #dueRecorded: RecordedRows | null = null;
  #laps = 0;
  /** Totals of the current range; null before the first range. */
  #lap: Totals | null = null;
  readonly #session = new Totals();
  readonly #counted = new CountedTime();

  /**
   * @param productName the product name in the file, ASCII, at most 16 characters
   * @throws AsiError `FORMAT_LIMIT` for more rows than a file can contain
   */
  constructor({ rows, ranges, intervalMessages = 0 }: FitExtent, productName: string) {
    this.#extent = { rows, ranges, intervalMessages };
    this.#productName = productName;
    if (this.#dataBytes() > MAX_DATA_BYTES) {
      throw new AsiError(
        "FORMAT_LIMIT",
        `The recording has ${rows} rows, but a FIT file can have at most 4 GiB; write the rows in parts with from and to.`,
      );
    }
  }

  /**
   * Starts a range. The following rows belong to it.
   *
   * @param gaps numbers of the rows before a gap, counted among the rows of the range with a speed
   * @param recorded all rows of the range, if the following rows are only some of them
   */
  startRange(gaps: readonly number[] = [], recorded: RecordedRows | null = null): void {
    this.#dueGaps = gaps;
    this.#dueRecorded = recorded;
  }

  /**
   * Writes rows of the current range.
   *
   * @param from the first row of the batch to write
   * @param to the end of the rows, exclusive
   * @throws AsiError `FORMAT_LIMIT` for a row whose time FIT cannot represent
   */
  rows(batch: SampleBatch, from: number, to: number): Uint8Array {
    if (from >= to) return new Uint8Array(0);
    const output = new Output(MOST_BYTES_AROUND_ROWS + (to - from) * RECORD_BYTES);
    const startMs = batch.timestampMs[from] as number;
    this.#begin(output, startMs);
    const lap = this.#dueGaps !== null || this.#lap === null ? this.#beginRange(output, startMs) : this.#lap;
    const at = output.skip((to - from) * RECORD_BYTES);
    writeRecords(output.view, at, { batch, from, to }, lap, this.#session.distance, this.#recorded);
    return this.#take(output);
  }

  /** Writes the intervals between the previous row and the next one, in whole ms, as `messagesFor(rrMs.length)` messages. */
  intervals(rrMs: readonly number[]): Uint8Array {
    return this.#count(intervalMessages(rrMs));
  }

  /** Ends the file, after as many rows and ranges as were announced. */
  end(): Uint8Array {
    const output = new Output(MOST_BYTES_AROUND_ROWS);
    this.#begin(output, null);
    this.#endRange(output);
    this.#writeEnd(output);
    const bytes = this.#take(output);
    return Uint8Array.of(...bytes, this.#crc & 0xff, this.#crc >> 8);
  }

  #dataBytes(): number {
    const { rows, ranges, intervalMessages: messages } = this.#extent;
    return BYTES_ONCE + rows * RECORD_BYTES + ranges * BYTES_PER_RANGE + bytesOfMessages(messages);
  }

  /** Writes the messages before the first row. */
  #begin(output: Output, startMs: number | null): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    output.addBytes(header(this.#dataBytes()));
    output.define(FILE_ID);
    output.add(FILE_ID, {
      type: 4,
      manufacturer: 255,
      product: 0,
      timeCreated: startMs === null ? null : fitSeconds(startMs),
      productName: this.#productName,
    });
    output.define(DEVELOPER_DATA_ID);
    output.add(DEVELOPER_DATA_ID, { applicationId: APPLICATION_ID, developerDataIndex: 0 });
    output.define(FIELD_DESCRIPTION_MESSAGE);
    output.add(FIELD_DESCRIPTION_MESSAGE, {
      developerDataIndex: 0,
      fieldNumber: 0,
      baseType: BASE_TYPES.uint16.code,
      fieldName: MILLISECONDS_FIELD,
      units: "ms",
    });
    for (const type of [...ANYWHERE, ...AT_THE_END]) output.define(type);
    // files without intervals do not contain this definition
    if (this.#extent.intervalMessages > 0) output.define(HRV);
  }

  #beginRange(output: Output, startMs: number): Totals {
    this.#endRange(output);
    output.add(EVENT, {
      timestamp: fitSeconds(startMs),
      event: EVENTS.timer,
      eventType: EVENT_TYPES.start,
    });
    this.#lap = new Totals(this.#dueGaps ?? [], this.#counted);
    this.#recorded = this.#dueRecorded;
    this.#dueGaps = null;
    return this.#lap;
  }

  #endRange(output: Output): void {
    const lap = this.#lap;
    if (lap === null || lap.endMs === null) return;
    this.#recorded?.addTo(lap, null);
    output.add(EVENT, {
      timestamp: fitSeconds(lap.endMs),
      event: EVENTS.timer,
      eventType: EVENT_TYPES.stopAll,
    });
    output.add(LAP, { ...summaryOf(lap), messageIndex: this.#laps, event: EVENTS.lap });
    this.#laps += 1;
    this.#session.add(lap);
    this.#lap = null;
  }

  #writeEnd(output: Output): void {
    const session = this.#session;
    const summary = summaryOf(session);
    output.add(SESSION, {
      ...summary,
      messageIndex: 0,
      event: EVENTS.session,
      // the sport is unknown
      sport: 0,
      subSport: 0,
      firstLap: 0,
      laps: this.#laps,
    });
    output.add(ACTIVITY, {
      timestamp: summary.timestamp,
      timerMs: session.timerMs,
      sessions: 1,
      type: 0,
      event: EVENTS.activity,
      eventType: EVENT_TYPES.stop,
    });
  }

  #take(output: Output): Uint8Array {
    return this.#count(output.bytes());
  }

  #count(bytes: Uint8Array): Uint8Array {
    this.#crc = crc16(this.#crc, bytes);
    return bytes;
  }
}

/** Returns the values that laps and sessions have in common. */
function summaryOf(totals: Totals) {
  const { startMs, endMs } = totals;
  return {
    timestamp: endMs === null ? null : fitSeconds(endMs),
    eventType: EVENT_TYPES.stop,
    startTime: startMs === null ? null : fitSeconds(startMs),
    elapsedMs: totals.elapsedMs,
    timerMs: totals.timerMs,
    distanceCm: totals.distanceCm,
    meanHr: totals.meanHr,
    maxHr: totals.maxHr,
    meanSpeed: totals.meanSpeedMmPerS,
    maxSpeed: totals.maxSpeedMmPerS,
  };
}

/** Returns the file header (FIT Protocol document, "File Header"). */
function header(dataBytes: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes[0] = HEADER_BYTES;
  bytes[1] = PROTOCOL_VERSION;
  view.setUint16(2, PROFILE_VERSION, true);
  view.setUint32(4, dataBytes, true);
  bytes.set(SIGNATURE, SIGNATURE_AT);
  view.setUint16(HEADER_BYTES - 2, crc16(0, bytes, 0, HEADER_BYTES - 2), true);
  return bytes;
}

/** A buffer of fixed size to which messages are appended. */
class Output {
  readonly view: DataView;
  readonly #bytes: Uint8Array;
  #end = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
    this.view = new DataView(this.#bytes.buffer);
  }

  define(type: MessageType): void {
    this.#end = writeDefinition(this.view, this.#end, type);
  }

  add<Names extends string>(type: MessageType<Names>, values: Readonly<Record<Names, Value>>): void {
    this.#end = writeMessage(this.view, this.#end, type, values);
  }

  addBytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Reserves bytes that the caller writes; returns their position. */
  skip(bytes: number): number {
    const at = this.#end;
    this.#end += bytes;
    return at;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }
}
