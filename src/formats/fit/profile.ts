// Constants of the FIT format, for writing and reading. Sources: the sections of the "FIT Protocol" document named below
// (developer.garmin.com/fit/protocol), and for messages and fields the public profile (developer.garmin.com/fit).

/** 1989-12-31T00:00:00Z, from which FIT counts seconds ("date_time"), in ms since 1970. */
export const EPOCH_MS = Date.UTC(1989, 11, 31);
/**
 * The lowest date_time since EPOCH_MS. Smaller values are counted from the start of the device (profile, type date_time: min).
 */
export const EARLIEST_S = 0x1000_0000;
/** The greatest valid value. */
export const LATEST_S = 0xffff_fffe;

/** Positions are in semicircles: 2^31 semicircles are 180 degrees. */
export const SEMICIRCLES_PER_E7 = 2 ** 31 / 180e7;

/** Profile, record: enhanced_altitude and altitude have scale 5 and offset 500. */
export const ALTITUDE_STEPS_PER_M = 5;
export const ALTITUDE_OFFSET_M = 500;

/** "File Header": 14 bytes, the last two of which are the checksum of the others; see also signature.ts. */
export const HEADER_BYTES = 14;

/** "Record Header Byte". */
export const HEADER_BITS = {
  /** Compressed timestamp header: the low bits contain a time offset. */
  compressedTime: 0x80,
  definition: 0x40,
  /** Flag in a definition that is followed by developer fields. */
  developerData: 0x20,
  localType: 0x0f,
} as const;
/** "Compressed Timestamp Header": two bits for the local type, and five for the seconds. */
export const COMPRESSED = { localShift: 5, localMask: 0x03, secondsMask: 0x1f } as const;

/** "Base Types": code, size in bytes, and the value that means "invalid". */
export const BASE_TYPES = {
  enum: { code: 0x00, bytes: 1, invalid: 0xff },
  uint8: { code: 0x02, bytes: 1, invalid: 0xff },
  string: { code: 0x07, bytes: 1, invalid: 0 },
  byte: { code: 0x0d, bytes: 1, invalid: 0xff },
  uint16: { code: 0x84, bytes: 2, invalid: 0xffff },
  sint32: { code: 0x85, bytes: 4, invalid: 0x7fff_ffff },
  uint32: { code: 0x86, bytes: 4, invalid: 0xffff_ffff },
} as const;
export type BaseType = keyof typeof BASE_TYPES;

/** Profile: global message numbers. */
export const MESSAGES = {
  fileId: 0,
  session: 18,
  lap: 19,
  record: 20,
  event: 21,
  activity: 34,
  hrv: 78,
  fieldDescription: 206,
  developerDataId: 207,
} as const;

/** Profile: numbers of the record fields that are written or read. */
export const RECORD_FIELDS = {
  timestamp: 253,
  latitude: 0,
  longitude: 1,
  altitude: 2,
  heartRate: 3,
  distance: 5,
  speed: 6,
  enhancedSpeed: 73,
  enhancedAltitude: 78,
} as const;

/** Profile, hrv: `time`, a list of RR intervals with scale 1000, in s. */
export const HRV_FIELDS = { time: 0 } as const;

/** Profile: field numbers of field descriptions ("Developer Data Fields"). */
export const FIELD_DESCRIPTION = {
  developerDataIndex: 0,
  fieldNumber: 1,
  baseType: 2,
  fieldName: 3,
  units: 8,
} as const;

/** The developer field for the milliseconds of the second, 0 to 999, which date_time cannot represent. */
export const MILLISECONDS_FIELD = "timestamp_ms";
