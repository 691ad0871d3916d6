/**
 * Parses date-times of clients: RFC 3339 and ISO 8601. In addition to RFC 3339 it accepts the basic format
 * (`20240511T203000Z`), an offset without colon or minutes (`+0100`, `-02`), a space for `T`, no seconds, and no offset
 * (read as UTC).
 */
const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?/;
const BASIC = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?/;
const OFFSET = /^(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Limits: PostgreSQL has no year 0, and a year has four digits in the API. */
export const EARLIEST_MS = Date.parse("0001-01-01T00:00:00.000Z");
export const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether a time can be stored and formatted with a four-digit year. */
export function isStorable(timestampMs: number): boolean {
  return timestampMs >= EARLIEST_MS && timestampMs <= LATEST_MS;
}

/**
 * @param text a date-time from the client
 * @returns ms since 1970 UTC (digits below a millisecond are dropped); undefined if the text is not a date-time
 */
export function parseDateTime(text: string): number | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  const offset = match && OFFSET.exec(text.slice(match[0].length));
  if (!match || !offset) return undefined;
  const [, year, month, day, hour, minute, second = "00", fraction = ""] = match;
  const [, sign, offsetHour, offsetMinute] = offset;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`;
  if (!isDate(`${year}-${month}-${day}`) || Number(hour) > 23) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const timestampMs = Date.parse(local) - (sign === "-" ? -offsetMs : offsetMs);
  return isStorable(timestampMs) ? timestampMs : undefined;
}

/**
 * @param text milliseconds since 1970 UTC as digits with an optional minus; otherwise a date-time
 * @returns ms since 1970 UTC; undefined if it is neither, or outside the years 1 to 9999
 */
export function parseInstant(text: string): number | undefined {
  if (!/^-?\d+$/.test(text)) return parseDateTime(text);
  const timestampMs = Number(text);
  return isStorable(timestampMs) ? timestampMs : undefined;
}

const EXPECTED = "a date-time such as 2024-01-01T06:00:00.000Z.";

/** Returns the message for a text that is not a date-time. */
export function dateTimeProblem(text: unknown, expected = `Expected ${EXPECTED}`): string {
  // In a query, an unescaped plus means a space.
  const withPlus = String(text).replace(/ (?=\d\d(?::?\d\d)?$)/, "+");
  return withPlus !== text && parseDateTime(withPlus) !== undefined
    ? "The + of the offset was read as a space. Write it as %2B in a URL."
    : expected;
}

/** Returns the message for a text that is neither milliseconds nor a date-time. */
export const instantProblem = (text: unknown): string =>
  dateTimeProblem(text, `Expected milliseconds since 1970, or ${EXPECTED}`);

/** Whether the text is an existing date in the format `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const timestampMs = Date.parse(`${text}T00:00:00.000Z`);
  // Date.parse converts 30 February to a date in March.
  return isStorable(timestampMs) && new Date(timestampMs).toISOString().startsWith(text);
}
