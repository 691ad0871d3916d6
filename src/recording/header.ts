import { optionNames, requireKnown, requireObject, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { RecordingInfo } from "../types.js";

// Reads and writes the ASI-INF frame (docs/recording-format.md, "Frames"). Only this file knows its layout.

const HEADER_PAYLOAD_LENGTH = 64;
const FORMAT_VERSION = 1;
const SERIAL_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
// Reserved device names on Windows, with or without an extension. Files with these names cannot be created there.
const RESERVED_PATTERN = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns whether Windows reserves a name for a device, with any extension. */
export function isReservedName(name: string): boolean {
  return RESERVED_PATTERN.test(name);
}

/** Returns whether a serial number can be a part of a file name on all platforms. */
export function canBeFileName(serial: string): boolean {
  return SERIAL_PATTERN.test(serial) && !isReservedName(serial);
}

const FIELDS = {
  serial: { offset: 4, length: 16 },
  deviceName: { offset: 20, length: 16 },
  deviceType: { offset: 36, length: 12 },
  firmwareVersion: { offset: 48, length: 12 },
} as const;

type HeaderText = keyof typeof FIELDS;

/** The header fields that `encode` and `repair` write. Texts are ASCII with at most 16, 16, 12 and 12 characters. */
export interface RecordingHeader {
  /**
   * 1 to 16 characters of `[A-Za-z0-9._-]`, not starting with `-` or `.`, and not a reserved device name on Windows (`CON`,
   * `NUL.1`).
   */
  serial: string;
  deviceName?: string | undefined;
  deviceType?: string | undefined;
  firmwareVersion?: string | undefined;
  /** Nominal time between two GNSS epochs, ms, 0 to 65535; default 100. */
  periodMs?: number | undefined;
}

const HEADER_FIELDS = [
  ...optionNames<RecordingHeader>({
    serial: true,
    deviceName: true,
    deviceType: true,
    firmwareVersion: true,
    periodMs: true,
  }),
  // a `RecordingInfo` is accepted as a header, and this is its only additional field; recordings are always written in the
  // current version
  "formatVersion",
];

/** Throws `BAD_OPTION` if a header cannot contain the serial number that the caller supplied. */
export function checkGivenSerial(serial: string): void {
  if (typeof serial === "string" && serial.length > FIELDS.serial.length) {
    throw new AsiError(
      "BAD_OPTION",
      `The serial number ${shown(serial)} is too long; a recording holds at most ${FIELDS.serial.length} characters.`,
    );
  }
  // JavaScript callers can omit the serial number, and the pattern would accept "undefined"
  if (typeof serial === "string" && canBeFileName(serial)) return;
  throw new AsiError(
    "BAD_OPTION",
    `The serial number ${serial === undefined ? "is missing" : `${shown(serial)} cannot be part of a file name`}; use letters, digits, ".", "_" and "-", not beginning with "-" or ".", and no device name on Windows, such as CON or NUL.`,
  );
}

/**
 * Reads the payload of the ASI-INF frame at `byteOffset`. `givenSerial` overrides the serial number of the header, which is
 * then not checked.
 *
 * @returns an error `UNSUPPORTED_VERSION` or `BAD_HEADER` if the header is invalid
 */
export function readHeader(
  payload: Uint8Array,
  byteOffset: number,
  givenSerial: string | undefined,
): RecordingInfo | AsiError {
  const version = payload[0];
  if (version !== undefined && version !== FORMAT_VERSION) {
    return new AsiError(
      "UNSUPPORTED_VERSION",
      `The recording has format version ${version}, but only version ${FORMAT_VERSION} is supported; install a newer asi-convert.`,
      { byteOffset },
    );
  }
  if (payload.length !== HEADER_PAYLOAD_LENGTH) {
    return new AsiError(
      "BAD_HEADER",
      `The recording header has ${payload.length} bytes instead of ${HEADER_PAYLOAD_LENGTH}; the file was not written by a supported device.`,
      { byteOffset },
    );
  }
  const serial = givenSerial ?? readText(payload, "serial");
  if (!canBeFileName(serial)) {
    return new AsiError(
      "BAD_HEADER",
      `The serial number in the recording header, ${JSON.stringify(serial)}, cannot be part of a file name; specify one with the option serial.`,
      { byteOffset },
    );
  }
  return {
    serial,
    deviceName: readText(payload, "deviceName"),
    deviceType: readText(payload, "deviceType"),
    firmwareVersion: readText(payload, "firmwareVersion"),
    periodMs: (payload[2] ?? 0) | ((payload[3] ?? 0) << 8),
    formatVersion: version ?? null,
  };
}

/** Returns the information for a log without a header, which contains only the serial number from the caller. */
export function headerlessInfo(serial: string): RecordingInfo {
  return { serial, deviceName: "", deviceType: "", firmwareVersion: "", periodMs: 0, formatVersion: null };
}

/** Returns a valid serial number as it is stored in a header: 16 bytes, padded with NUL. */
export function serialBytes(serial: string): Uint8Array {
  const { offset, length } = FIELDS.serial;
  const payload = new Uint8Array(HEADER_PAYLOAD_LENGTH);
  writeText(payload, "serial", serial);
  return payload.subarray(offset, offset + length);
}

/** Returns whether the length and version of a header are correct. */
export function isHeaderPayload(payload: Uint8Array): boolean {
  return payload.length === HEADER_PAYLOAD_LENGTH && payload[0] === FORMAT_VERSION;
}

// Reads ASCII text that is padded with NUL. A text that fills its field has no NUL. Other bytes become replacement characters.
function readText(payload: Uint8Array, field: HeaderText): string {
  const { offset, length } = FIELDS[field];
  let text = "";
  for (const byte of payload.subarray(offset, offset + length)) {
    if (byte === 0) break;
    text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "\ufffd";
  }
  return text;
}

/** Returns the payload of an ASI-INF frame. Throws `BAD_OPTION` for values that it cannot represent. */
export function writeHeader(header: RecordingHeader): Uint8Array {
  requireObject("header", header);
  requireKnown("field of a header", header, HEADER_FIELDS);
  checkGivenSerial(header.serial);
  const periodMs = header.periodMs ?? 100;
  if (!Number.isInteger(periodMs) || periodMs < 0 || periodMs > 0xffff) {
    throw new AsiError(
      "BAD_OPTION",
      `periodMs is ${shown(periodMs)}; it must be a whole number from 0 to 65535.`,
    );
  }
  const payload = new Uint8Array(HEADER_PAYLOAD_LENGTH);
  payload[0] = FORMAT_VERSION;
  payload[2] = periodMs & 0xff;
  payload[3] = periodMs >> 8;
  for (const field of Object.keys(FIELDS) as HeaderText[]) writeText(payload, field, header[field] ?? "");
  return payload;
}

/** Replaces the serial number in the 64-byte payload of an ASI-INF frame with another valid one. */
export function renameHeader(payload: Uint8Array, serial: string): Uint8Array {
  const renamed = payload.slice();
  const { offset, length } = FIELDS.serial;
  renamed.fill(0, offset, offset + length);
  writeText(renamed, "serial", serial);
  return renamed;
}

function writeText(payload: Uint8Array, field: HeaderText, text: string): void {
  const { offset, length } = FIELDS[field];
  if (typeof text !== "string" || !/^[\x20-\x7e]*$/.test(text) || text.length > length) {
    throw new AsiError(
      "BAD_OPTION",
      `${field} is ${shown(text)}; it must be printable ASCII of at most ${length} characters.`,
    );
  }
  for (let i = 0; i < text.length; i++) payload[offset + i] = text.charCodeAt(i);
}
