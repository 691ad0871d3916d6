import { AsiError, type AsiErrorCode } from "./errors.js";

// Validates arguments once, when a function is called, because JavaScript callers can pass anything.

const MAX_SHOWN_LENGTH = 80;
// characters that affect terminals: control characters, line separators and bidirectional controls
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Formats a value for an error message: shortens it, and removes characters that affect terminals. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(
        value.length > MAX_SHOWN_LENGTH ? `${value.slice(0, MAX_SHOWN_LENGTH)}...` : value,
      ).replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : "an object";
    case "function":
      return "a function";
    case "bigint":
      return `${shortened(String(value))}n`;
    default:
      return shortened(String(value));
  }
}

/** Returns the beginning of a text, on one line and without control characters. */
export function shortened(text: string, longest = MAX_SHOWN_LENGTH): string {
  const printable = text.slice(0, longest).replace(UNPRINTABLE, "\ufffd");
  return text.length > longest ? `${printable}...` : printable;
}

/** Returns the names of the options in a type. The compiler rejects missing and additional names. */
export function optionNames<T>(names: Readonly<Record<keyof T, true>>): readonly string[] {
  return Object.keys(names);
}

/**
 * Throws `BAD_OPTION` if the options are not an object, or if one of them does not exist, for example because it is misspelt.
 * Every public function with options calls this function first.
 *
 * @param known the names of all its options
 */
export function requireOptions(options: unknown, known: readonly string[]): void {
  requireObject("options", options);
  requireKnown("option", options as object, known);
}

/** Throws `BAD_OPTION` for a name that does not exist. In the error message, `what` says what the names are. */
export function requireKnown(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const similar = known.find((name) => isSimilar(name.toLowerCase(), unknown.toLowerCase()));
  const hint = similar === undefined ? `use one of ${known.join(", ")}` : `did you mean ${similar}?`;
  throw new AsiError("BAD_OPTION", `The ${what} ${shown(unknown)} is unknown; ${hint}`);
}

/** Returns whether two names differ only by a missing, additional or different letter, or by two swapped letters. */
function isSimilar(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restOfA, restOfB] = [a.slice(at), b.slice(at)];
  return (
    restOfA.slice(1) === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    (restOfA.slice(2) === restOfB.slice(2) && restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0])
  );
}

/** Returns whether a value, such as a part of parsed JSON, is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws `BAD_OPTION` if options are not an object. JavaScript callers can pass `null` or a string. */
export function requireObject(name: string, value: unknown): void {
  if (typeof value === "object" && value !== null) return;
  const kind = value === null ? "null" : `a ${typeof value}`;
  throw new AsiError("BAD_OPTION", `${name} must be an object, not ${kind}.`);
}

/** Throws `BAD_OPTION` for an option that is set but not a boolean. */
export function requireBooleans(options: object, names: readonly string[]): void {
  const bad = names.find((name) => !["undefined", "boolean"].includes(typeof optionOf(options, name)));
  if (bad !== undefined) {
    throw new AsiError("BAD_OPTION", `${bad} is ${shown(optionOf(options, bad))}; it must be true or false.`);
  }
}

/** Throws `BAD_OPTION` for an option that is set but not a function. */
export function requireFunctions(options: object, names: readonly string[]): void {
  const bad = names.find((name) => !["undefined", "function"].includes(typeof optionOf(options, name)));
  if (bad !== undefined) {
    throw new AsiError("BAD_OPTION", `${bad} is ${shown(optionOf(options, bad))}; it must be a function.`);
  }
}

/** Throws `BAD_OPTION` for an option that is set but not a string. */
export function requireTexts(options: object, names: readonly string[]): void {
  const bad = names.find((name) => !["undefined", "string"].includes(typeof optionOf(options, name)));
  if (bad !== undefined) {
    throw new AsiError("BAD_OPTION", `${bad} is ${shown(optionOf(options, bad))}; it must be a string.`);
  }
}

/** Throws an error with `code` if a value cannot be a path. */
export function requirePath(code: AsiErrorCode, name: string, value: unknown): void {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return;
  throw new AsiError(
    code,
    `${name} is ${shown(value)}; it must be a path: a string that is not empty and has no NUL character.`,
  );
}

/** Throws `BAD_OPTION` for options that are set but cannot be paths. */
export function requirePaths(options: object, names: readonly string[]): void {
  for (const name of names) {
    const value = optionOf(options, name);
    if (value !== undefined) requirePath("BAD_OPTION", name, value);
  }
}

function optionOf(options: object, name: string): unknown {
  return (options as Record<string, unknown>)[name];
}

/** Returns whether a value is a Date, including one from a different realm. */
export function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}

/**
 * Throws `BAD_ARGUMENT` unless every column has its type and at least `length` entries.
 *
 * @param types the column names and the class names of their arrays
 */
export function requireColumns(
  columns: object,
  types: Readonly<Record<string, string>>,
  length: number,
): void {
  for (const [name, type] of Object.entries(types)) {
    const column = optionOf(columns, name);
    // compares names, because an array from a different realm is not an instance of this realm's class
    const isOfType = Object.prototype.toString.call(column) === `[object ${type}]`;
    if (!isOfType || !ArrayBuffer.isView(column)) {
      throw new AsiError("BAD_ARGUMENT", `${name} is ${shown(column)}; it must be a ${type}.`);
    }
    const entries = (column as unknown as Uint8Array).length;
    if (entries < length) {
      throw new AsiError("BAD_ARGUMENT", `${name} has ${entries} entries, but length is ${length}.`);
    }
  }
}
