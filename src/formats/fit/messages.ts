import { BASE_TYPES, type BaseType, HEADER_BITS } from "./profile.js";

// The byte layout of messages: "Definition Message" and "Data Message" of the FIT Protocol document, little-endian.

/** A field: its number in the profile, its base type, and its size in bytes if it has more than one value. */
export type Field = readonly [number: number, type: BaseType, bytes?: number];

/** A developer field: its number, its size in bytes, and the developer data index. */
export type DeveloperField = readonly [number: number, bytes: number, developer: number];

export interface MessageType<Names extends string = string> {
  /** Local message type, 0 to 15. */
  local: number;
  /** Global message number in the profile. */
  global: number;
  /** The fields in the order in which they are written. */
  fields: Readonly<Record<Names, Field>>;
  developerFields?: readonly DeveloperField[];
}

/** A field value; null is written as the "invalid" value of the type. */
export type Value = number | string | Uint8Array | null;

/** Returns the size in bytes of one message of a type, including its header. */
export function messageBytes({ fields, developerFields = [] }: MessageType): number {
  const own = Object.values<Field>(fields).reduce((sum, field) => sum + fieldBytes(field), 1);
  return developerFields.reduce((sum, [, bytes]) => sum + bytes, own);
}

/** Returns the size in bytes of the definition of a type. */
export function definitionBytes({ fields, developerFields }: MessageType): number {
  const own = 6 + 3 * Object.keys(fields).length;
  return developerFields === undefined ? own : own + 1 + 3 * developerFields.length;
}

function fieldBytes([, type, bytes]: Field): number {
  return bytes ?? BASE_TYPES[type].bytes;
}

/** Writes the definition of a type at `at`. Returns the position after it. */
export function writeDefinition(view: DataView, at: number, type: MessageType): number {
  const { developerFields } = type;
  const fields = Object.values<Field>(type.fields);
  const bits = HEADER_BITS.definition | (developerFields === undefined ? 0 : HEADER_BITS.developerData);
  const bytes = [
    bits | type.local,
    0, // reserved
    0, // little-endian
    type.global & 0xff,
    type.global >> 8,
    fields.length,
    ...fields.flatMap((field) => [field[0], fieldBytes(field), BASE_TYPES[field[1]].code]),
  ];
  if (developerFields !== undefined) bytes.push(developerFields.length, ...developerFields.flat());
  for (const [i, byte] of bytes.entries()) view.setUint8(at + i, byte);
  return at + bytes.length;
}

/**
 * Writes a message at `at`. Returns the position after it. Numbers that are too large for their field become the field's maximum.
 */
export function writeMessage<Names extends string>(
  view: DataView,
  at: number,
  type: MessageType<Names>,
  values: Readonly<Record<Names, Value>>,
): number {
  view.setUint8(at, type.local);
  let end = at + 1;
  for (const [name, field] of Object.entries<Field>(type.fields)) {
    writeValue(view, end, field, values[name as Names]);
    end += fieldBytes(field);
  }
  return end;
}

function writeValue(view: DataView, at: number, field: Field, value: Value): void {
  const { bytes, invalid } = BASE_TYPES[field[1]];
  if (typeof value === "string" || value instanceof Uint8Array) {
    const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
    // the rest of the field is filled with NUL
    for (let i = 0; i < fieldBytes(field); i++) view.setUint8(at + i, content[i] ?? 0);
    return;
  }
  const number = value === null ? invalid : Math.min(value, invalid - 1);
  if (bytes === 1) view.setUint8(at, number);
  else if (bytes === 2) view.setUint16(at, number, true);
  else view.setUint32(at, number, true);
}
