import { AsiError } from "../errors.js";
import { crc16 } from "../formats/fit/crc.js";
import {
  ALTITUDE_OFFSET_M,
  ALTITUDE_STEPS_PER_M,
  BASE_TYPES,
  COMPRESSED,
  EARLIEST_S,
  EPOCH_MS,
  HEADER_BITS,
  HEADER_BYTES,
  MILLISECONDS_FIELD,
  SEMICIRCLES_PER_E7,
} from "../formats/fit/profile.js";
import { OLD_HEADER_BYTES } from "../formats/fit/signature.js";
import {
  type Definition,
  definitionLength,
  type ListPlace,
  type Place,
  type RecordPlaces,
  readDefinition,
  readDescription,
} from "./fit-definition.js";
import type { TrackIntervals } from "./track-intervals.js";
import { isFit } from "./track-kind.js";
import type { TrackDamage, TrackParser } from "./track-parser.js";
import type { TrackRows } from "./track-rows.js";

const CRC_BYTES = 2;
const MM_PER_ALTITUDE_STEP = 1000 / ALTITUDE_STEPS_PER_M;
const EXTRA_BYTES = "there are extra bytes after the end of the file";
const FIRST_CAPACITY = 1 << 16;

/** The unreadable part of a file. */
class Damage extends AsiError {
  declare readonly byteOffset: number;
  readonly reason: string;

  constructor(byteOffset: number, reason: string) {
    super("BAD_TRACK", `The track cannot be read at byte ${byteOffset}: ${reason}.`, { byteOffset });
    this.reason = reason;
  }
}

/**
 * Reads the records and RR intervals of one FIT file, or of several concatenated ones, and verifies their checksums. It stops at
 * the first damage, and keeps the content before it. A file without content before the damage is refused.
 */
export class FitTrack implements TrackParser {
  readonly format = "fit";
  damage: TrackDamage | null = null;
  readonly #rows: TrackRows;
  readonly #intervals: TrackIntervals;
  // the unread bytes are from #at to #end; #at is the byte at #offset in the input
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #end = 0;
  #offset = 0;
  #part: "header" | "data" | "checksum" = "header";
  /** Offset of the end of the messages in the current file. */
  #dataEnd = 0;
  #crc = 0;
  #files = 0;
  #definitions: (Definition | undefined)[] = [];
  /** Developer fields that contain milliseconds, as "developer-index number". */
  #millisecondFields = new Set<string>();
  /** The time of the last message that has one, in FIT seconds. */
  #lastTime: number | null = null;

  constructor(rows: TrackRows, intervals: TrackIntervals) {
    this.#rows = rows;
    this.#intervals = intervals;
  }

  push(bytes: Uint8Array): void {
    if (this.damage !== null) return;
    this.#append(bytes);
    this.#upToDamage(() => {
      while (this.#readPart()) {}
    });
  }

  end(): void {
    if (this.damage === null) this.#upToDamage(() => this.#requireEnd());
  }

  #upToDamage(read: () => void): void {
    try {
      read();
    } catch (error) {
      // a file that was recorded indoors can have intervals but no rows
      const lastMs = this.#rows.lastMs ?? (this.#intervals.count > 0 ? this.#intervals.lastMs : null);
      if (!(error instanceof Damage) || lastMs === null) throw error;
      this.damage = { byteOffset: error.byteOffset, afterMs: lastMs, reason: error.reason };
    }
  }

  #requireEnd(): void {
    const isBetweenFiles = this.#part === "header" && this.#files > 0;
    if (isBetweenFiles && this.#at === this.#end) return;
    throw isBetweenFiles
      ? new Damage(this.#offset, EXTRA_BYTES)
      : new Damage(this.#offset + this.#end - this.#at, "the file is truncated");
  }

  #append(bytes: Uint8Array): void {
    const unread = this.#end - this.#at;
    if (this.#end + bytes.length > this.#bytes.length) {
      const needed = unread + bytes.length;
      const target = needed > this.#bytes.length / 2 ? new Uint8Array(2 * needed) : this.#bytes;
      target.set(this.#bytes.subarray(this.#at, this.#end));
      if (target !== this.#bytes) this.#view = new DataView(target.buffer);
      this.#bytes = target;
      this.#at = 0;
      this.#end = unread;
    }
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Reads the available bytes of the current part. Returns whether more bytes may be readable. */
  #readPart(): boolean {
    switch (this.#part) {
      case "header":
        return this.#readHeader();
      case "data":
        return this.#readMessages();
      case "checksum":
        return this.#readChecksum();
    }
  }

  #skip(bytes: number): void {
    this.#at += bytes;
    this.#offset += bytes;
  }

  #readHeader(): boolean {
    const available = this.#end - this.#at;
    if (available < OLD_HEADER_BYTES) return false;
    const header = this.#bytes.subarray(this.#at, this.#end);
    if (!isFit(header)) {
      throw new Damage(this.#offset, this.#files === 0 ? "there is no FIT header" : EXTRA_BYTES);
    }
    const length = header[0] as number;
    if (available < length) return false;
    const stated = length < HEADER_BYTES ? 0 : this.#view.getUint16(this.#at + HEADER_BYTES - 2, true);
    // 0 means that the header has no checksum
    if (stated !== 0 && stated !== crc16(0, header, 0, HEADER_BYTES - 2)) {
      throw new Damage(this.#offset, "the checksum of the header is wrong");
    }
    this.#dataEnd = this.#offset + length + this.#view.getUint32(this.#at + 4, true);
    this.#crc = crc16(0, header, 0, length);
    this.#skip(length);
    this.#definitions = [];
    this.#millisecondFields.clear();
    this.#lastTime = null;
    this.#rows.startSegment();
    this.#intervals.endSeries();
    this.#part = "data";
    return true;
  }

  #readMessages(): boolean {
    const begin = this.#at;
    let length: number | null = 0;
    while (this.#offset < this.#dataEnd && this.#at < this.#end) {
      const header = this.#bytes[this.#at] as number;
      const isCompressed = (header & HEADER_BITS.compressedTime) !== 0;
      const isDefinition = !isCompressed && (header & HEADER_BITS.definition) !== 0;
      length = isDefinition
        ? definitionLength(this.#bytes, this.#at, this.#end, (header & HEADER_BITS.developerData) !== 0)
        : this.#definitionOf(header, isCompressed).bytes;
      if (length !== null && this.#offset + length > this.#dataEnd) {
        throw new Damage(this.#offset, "a message extends past the end stated in the file header");
      }
      if (length === null || this.#end - this.#at < length) break;
      if (isDefinition) this.#define(header & HEADER_BITS.localType, length);
      else this.#readMessage(header, isCompressed);
      this.#skip(length);
    }
    this.#crc = crc16(this.#crc, this.#bytes, begin, this.#at);
    if (this.#offset === this.#dataEnd) {
      this.#part = "checksum";
      return true;
    }
    // if the end of the data truncates a definition, its length is unknown
    if (length === null && this.#offset + this.#end - this.#at >= this.#dataEnd) {
      throw new Damage(this.#offset, "a definition extends past the end stated in the file header");
    }
    return false;
  }

  #readChecksum(): boolean {
    if (this.#end - this.#at < CRC_BYTES) return false;
    if (this.#view.getUint16(this.#at, true) !== this.#crc) {
      throw new Damage(this.#offset, "the checksum of the file is wrong; some earlier bytes are damaged");
    }
    this.#skip(CRC_BYTES);
    this.#files += 1;
    this.#part = "header";
    return true;
  }

  #definitionOf(header: number, isCompressed: boolean): Definition {
    const local = isCompressed
      ? (header >> COMPRESSED.localShift) & COMPRESSED.localMask
      : header & HEADER_BITS.localType;
    const definition = this.#definitions[local];
    if (definition === undefined) {
      throw new Damage(this.#offset, `a message has the local type ${local}, which is not defined`);
    }
    return definition;
  }

  #define(local: number, length: number): void {
    this.#definitions[local] = readDefinition(this.#bytes, this.#at, length, (developer, number) =>
      this.#millisecondFields.has(`${developer} ${number}`),
    );
  }

  #readMessage(header: number, isCompressed: boolean): void {
    const definition = this.#definitionOf(header, isCompressed);
    const ownTime = this.#unsigned(definition, definition.timestamp, "uint32");
    if (ownTime !== null) this.#lastTime = ownTime;
    else if (isCompressed && this.#lastTime !== null) {
      // "Compressed Timestamp Header": the low five bits of a time that never decreases
      const seconds = header & COMPRESSED.secondsMask;
      this.#lastTime += (seconds - this.#lastTime) & COMPRESSED.secondsMask;
    }
    // before the first record, the time is in another message, such as the start of the timer
    if (ownTime !== null && ownTime >= EARLIEST_S && this.#intervals.lastMs === null) {
      this.#intervals.addTime(EPOCH_MS + ownTime * 1000);
    }
    if (definition.intervals !== null) {
      this.#readIntervals(definition, definition.intervals);
    } else if (definition.record !== null) {
      this.#readRecord(definition, definition.record, isCompressed ? this.#lastTime : ownTime);
    } else if (definition.description !== null) {
      const field = readDescription(definition, this.#bytes, this.#at);
      const isMilliseconds = field?.name === MILLISECONDS_FIELD && field.baseType === BASE_TYPES.uint16.code;
      if (isMilliseconds) this.#millisecondFields.add(`${field.developer} ${field.number}`);
    }
  }

  #readRecord(definition: Definition, places: RecordPlaces, time: number | null): void {
    const milliseconds = this.#unsigned(definition, places.milliseconds, "uint16") ?? 0;
    const isAbsolute = time !== null && time >= EARLIEST_S;
    const ms = isAbsolute ? EPOCH_MS + time * 1000 + Math.min(milliseconds, 999) : Number.NaN;
    if (isAbsolute) this.#intervals.addTime(ms);
    const altitude =
      this.#unsigned(definition, places.enhancedAltitude, "uint32") ??
      this.#unsigned(definition, places.altitude, "uint16");
    const speed =
      this.#unsigned(definition, places.enhancedSpeed, "uint32") ??
      this.#unsigned(definition, places.speed, "uint16");
    this.#rows.add({
      ms,
      latitude: this.#position(definition, places.latitude),
      longitude: this.#position(definition, places.longitude),
      altitude: altitude === null ? Number.NaN : altitude * MM_PER_ALTITUDE_STEP - ALTITUDE_OFFSET_M * 1000,
      speed: speed ?? Number.NaN,
      hr: this.#unsigned(definition, places.heartRate, "uint8") ?? Number.NaN,
    });
  }

  #readIntervals({ isLittleEndian }: Definition, { at, bytes }: ListPlace): void {
    const from = this.#at + at;
    for (let place = from; place < from + bytes; place += BASE_TYPES.uint16.bytes) {
      const rrMs = this.#view.getUint16(place, isLittleEndian);
      // the list has a fixed length; its unused entries are invalid
      if (rrMs !== BASE_TYPES.uint16.invalid) this.#intervals.add(rrMs);
    }
  }

  /** Reads a coordinate, in 1e-7 degrees; NaN if there is no position. */
  #position({ isLittleEndian }: Definition, place: Place): number {
    if (place === null) return Number.NaN;
    const semicircles = this.#view.getInt32(this.#at + place, isLittleEndian);
    return semicircles === BASE_TYPES.sint32.invalid ? Number.NaN : semicircles / SEMICIRCLES_PER_E7;
  }

  #unsigned(
    { isLittleEndian }: Definition,
    place: Place,
    type: "uint8" | "uint16" | "uint32",
  ): number | null {
    if (place === null) return null;
    const at = this.#at + place;
    const value =
      type === "uint32"
        ? this.#view.getUint32(at, isLittleEndian)
        : type === "uint16"
          ? this.#view.getUint16(at, isLittleEndian)
          : this.#view.getUint8(at);
    return value === BASE_TYPES[type].invalid ? null : value;
  }
}
