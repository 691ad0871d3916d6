import type { MessageType } from "./messages.js";
import { BASE_TYPES, HRV_FIELDS, MESSAGES, RECORD_FIELDS } from "./profile.js";

// The messages in an activity file, in the order in which they are defined. The field numbers are from the profile.

/** The type of the file: `type` 4 means activity, and `manufacturer` 255 means development. */
export const FILE_ID = {
  local: 0,
  global: MESSAGES.fileId,
  fields: {
    type: [0, "enum"],
    manufacturer: [1, "uint16"],
    product: [2, "uint16"],
    timeCreated: [4, "uint32"],
    // names in a recording have at most 16 characters, and a NUL follows
    productName: [8, "string", 17],
  },
} as const satisfies MessageType;

export const DEVELOPER_DATA_ID = {
  local: 1,
  global: MESSAGES.developerDataId,
  fields: { applicationId: [1, "byte", 16], developerDataIndex: [3, "uint8"] },
} as const satisfies MessageType;

/** A random identifier of this software, generated once. It distinguishes its developer fields from fields of other applications. */
export const APPLICATION_ID = Uint8Array.of(
  ...[0x6e, 0x1c, 0x0b, 0x5a, 0x93, 0x47, 0x4d, 0x2e, 0xa8, 0x75, 0x31, 0xf4, 0xc2, 0x9d, 0x60, 0x8b],
);

export const FIELD_DESCRIPTION_MESSAGE = {
  local: 2,
  global: MESSAGES.fieldDescription,
  fields: {
    developerDataIndex: [0, "uint8"],
    fieldNumber: [1, "uint8"],
    baseType: [2, "uint8"],
    fieldName: [3, "string", 13],
    units: [8, "string", 3],
  },
} as const satisfies MessageType;

/** `event` 0 is the timer, 8 the session, 9 a lap, 26 the activity. */
export const EVENTS = { timer: 0, session: 8, lap: 9, activity: 26 } as const;
export const EVENT_TYPES = { start: 0, stop: 1, stopAll: 4 } as const;

export const EVENT = {
  local: 3,
  global: MESSAGES.event,
  fields: { timestamp: [253, "uint32"], event: [0, "enum"], eventType: [1, "enum"] },
} as const satisfies MessageType;

/** One row. `record-block.ts` writes its bytes in this order. */
export const RECORD = {
  local: 4,
  global: MESSAGES.record,
  fields: {
    timestamp: [RECORD_FIELDS.timestamp, "uint32"],
    latitude: [RECORD_FIELDS.latitude, "sint32"],
    longitude: [RECORD_FIELDS.longitude, "sint32"],
    altitude: [RECORD_FIELDS.enhancedAltitude, "uint32"],
    distance: [RECORD_FIELDS.distance, "uint32"],
    speed: [RECORD_FIELDS.enhancedSpeed, "uint32"],
    heartRate: [RECORD_FIELDS.heartRate, "uint8"],
  },
  developerFields: [[0, BASE_TYPES.uint16.bytes, 0]],
} as const satisfies MessageType;

/** RR intervals between two rows. Devices write five intervals in a message; the unused entries of the list are invalid. */
export const HRV = {
  local: 8,
  global: MESSAGES.hrv,
  fields: { time: [HRV_FIELDS.time, "uint16", 10] },
} as const satisfies MessageType;
export const INTERVALS_PER_MESSAGE = 5;

/** Fields with the same numbers in laps and sessions. */
const SUMMARY_FIELDS = {
  messageIndex: [254, "uint16"],
  timestamp: [253, "uint32"],
  event: [0, "enum"],
  eventType: [1, "enum"],
  startTime: [2, "uint32"],
  elapsedMs: [7, "uint32"],
  timerMs: [8, "uint32"],
  distanceCm: [9, "uint32"],
} as const;

export const LAP = {
  local: 5,
  global: MESSAGES.lap,
  fields: {
    ...SUMMARY_FIELDS,
    meanHr: [15, "uint8"],
    maxHr: [16, "uint8"],
    meanSpeed: [110, "uint32"],
    maxSpeed: [111, "uint32"],
  },
} as const satisfies MessageType;

export const SESSION = {
  local: 6,
  global: MESSAGES.session,
  fields: {
    ...SUMMARY_FIELDS,
    sport: [5, "enum"],
    subSport: [6, "enum"],
    meanHr: [16, "uint8"],
    maxHr: [17, "uint8"],
    firstLap: [25, "uint16"],
    laps: [26, "uint16"],
    meanSpeed: [124, "uint32"],
    maxSpeed: [125, "uint32"],
  },
} as const satisfies MessageType;

export const ACTIVITY = {
  local: 7,
  global: MESSAGES.activity,
  fields: {
    timestamp: [253, "uint32"],
    timerMs: [0, "uint32"],
    sessions: [1, "uint16"],
    type: [2, "enum"],
    event: [3, "enum"],
    eventType: [4, "enum"],
  },
} as const satisfies MessageType;
