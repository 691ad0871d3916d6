import {
  BASE_TYPES,
  FIELD_DESCRIPTION,
  HRV_FIELDS,
  MESSAGES,
  RECORD_FIELDS,
} from "../formats/fit/profile.js";

// Reads the parts of FIT definition messages that are needed to read rows.

/** "Definition Message": the number of bytes before the list of fields, and the number of bytes per field. */
const FIXED_BYTES = 6;
const FIELD_BYTES = 3;

/** Offset of a field from the header of its message; null if the message does not have the field. */
export type Place = number | null;

/** Offset and size of a field with a list of values. */
export interface ListPlace {
  at: number;
  bytes: number;
}

/** The layout of the messages of a local type. */
export interface Definition {
  global: number;
  isLittleEndian: boolean;
  /** Size of a message, including its header. */
  bytes: number;
  timestamp: Place;
  /** The places in a record; null for other messages. */
  record: RecordPlaces | null;
  /** The list of milliseconds in a message with RR intervals. */
  intervals: ListPlace | null;
  /** The fields in a field description, by number. */
  description: ReadonlyMap<number, ListPlace> | null;
}

export interface RecordPlaces {
  latitude: Place;
  longitude: Place;
  altitude: Place;
  enhancedAltitude: Place;
  speed: Place;
  enhancedSpeed: Place;
  heartRate: Place;
  /** The developer field with the milliseconds of the second. */
  milliseconds: Place;
}

/** Returns the length of the definition at `at`; null if the bytes that determine it are not yet available. */
export function definitionLength(
  bytes: Uint8Array,
  at: number,
  end: number,
  hasDevelopers: boolean,
): number | null {
  if (end - at < FIXED_BYTES) return null;
  const own = FIXED_BYTES + FIELD_BYTES * (bytes[at + 5] as number);
  if (!hasDevelopers) return own;
  return end - at <= own ? null : own + 1 + FIELD_BYTES * (bytes[at + own] as number);
}

/**
 * Reads a definition of `length` bytes.
 *
 * @param isMilliseconds returns whether the developer field with this developer index and number contains the milliseconds
 */
export function readDefinition(
  bytes: Uint8Array,
  at: number,
  length: number,
  isMilliseconds: (developer: number, number: number) => boolean,
): Definition {
  const isLittleEndian = bytes[at + 2] === 0;
  const low = bytes[at + (isLittleEndian ? 3 : 4)] as number;
  const high = bytes[at + (isLittleEndian ? 4 : 3)] as number;
  const global = low | (high << 8);
  const fields = new Map<number, ListPlace>();
  let place = 1;
  let from = at + FIXED_BYTES;
  const fieldsEnd = from + FIELD_BYTES * (bytes[at + 5] as number);
  for (; from < fieldsEnd; from += FIELD_BYTES) {
    const size = bytes[from + 1] as number;
    fields.set(bytes[from] as number, { at: place, bytes: size });
    place += size;
  }
  let milliseconds: Place = null;
  for (from += 1; from < at + length; from += FIELD_BYTES) {
    const size = bytes[from + 1] as number;
    if (
      size === BASE_TYPES.uint16.bytes &&
      isMilliseconds(bytes[from + 2] as number, bytes[from] as number)
    ) {
      milliseconds = place;
    }
    place += size;
  }
  // ignore fields whose size differs from the profile
  const placeOf = (number: number, size: number): Place => {
    const field = fields.get(number);
    return field?.bytes === size ? field.at : null;
  };
  return {
    global,
    isLittleEndian,
    bytes: place,
    timestamp: placeOf(RECORD_FIELDS.timestamp, 4),
    record:
      global !== MESSAGES.record
        ? null
        : {
            latitude: placeOf(RECORD_FIELDS.latitude, 4),
            longitude: placeOf(RECORD_FIELDS.longitude, 4),
            altitude: placeOf(RECORD_FIELDS.altitude, 2),
            enhancedAltitude: placeOf(RECORD_FIELDS.enhancedAltitude, 4),
            speed: placeOf(RECORD_FIELDS.speed, 2),
            enhancedSpeed: placeOf(RECORD_FIELDS.enhancedSpeed, 4),
            heartRate: placeOf(RECORD_FIELDS.heartRate, 1),
            milliseconds,
          },
    intervals: global === MESSAGES.hrv ? listOf16Bits(fields.get(HRV_FIELDS.time)) : null,
    description: global === MESSAGES.fieldDescription ? fields : null,
  };
}

function listOf16Bits(field: ListPlace | undefined): ListPlace | null {
  return field === undefined || field.bytes % BASE_TYPES.uint16.bytes !== 0 ? null : field;
}

/** A description of a developer field. */
export interface DescribedField {
  developer: number;
  number: number;
  baseType: number;
  name: string;
}

/** Reads the field description at `at`. Returns null if it is incomplete. */
export function readDescription(
  { description }: Definition,
  bytes: Uint8Array,
  at: number,
): DescribedField | null {
  const byteOf = (number: number): number | null => {
    const field = description?.get(number);
    return field === undefined || field.bytes !== 1 ? null : (bytes[at + field.at] as number);
  };
  const developer = byteOf(FIELD_DESCRIPTION.developerDataIndex);
  const number = byteOf(FIELD_DESCRIPTION.fieldNumber);
  const baseType = byteOf(FIELD_DESCRIPTION.baseType);
  const name = description?.get(FIELD_DESCRIPTION.fieldName);
  if (developer === null || number === null || baseType === null || name === undefined) return null;
  const text = bytes.subarray(at + name.at, at + name.at + name.bytes);
  const end = text.indexOf(0);
  return {
    developer,
    number,
    baseType,
    name: new TextDecoder().decode(end < 0 ? text : text.subarray(0, end)),
  };
}
