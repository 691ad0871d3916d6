/**
 * Date-times as clients send them. RFC 3339, and also: an offset without colon (`+0100`), a space for `T`, no seconds,
 * and no offset (read as UTC).
 */
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** PostgreSQL has no year 0, and a wire date has four digits. */
const EARLIEST_MS = Date.parse("0001-01-01T00:00:00.000Z");
const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether an instant can be stored and written with four digits of year. */
export function isStorable(timestampMs: number): boolean {
  return timestampMs >= EARLIEST_MS && timestampMs <= LATEST_MS;
}

/**
 * @param text a date-time of the wire
 * @returns ms since 1970 UTC (digits below the millisecond are dropped); undefined when it is none
 */
export function parseDateTime(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = "00", fraction = "", , sign, offsetHour, offsetMinute] =
    match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`;
  if (!isDate(`${year}-${month}-${day}`) || Number(hour) > 23) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const timestampMs = Date.parse(local) - (sign === "-" ? -offsetMs : offsetMs);
  return isStorable(timestampMs) ? timestampMs : undefined;
}

/**
 * @param text milliseconds since 1970 UTC, all digits with an optional minus; otherwise a date-time
 * @returns ms since 1970 UTC; undefined when it is neither, or outside the years 1 to 9999
 */
export function parseInstant(text: string): number | undefined {
  if (!/^-?\d+$/.test(text)) return parseDateTime(text);
  const timestampMs = Number(text);
  return isStorable(timestampMs) ? timestampMs : undefined;
}

/** Whether the text is a day of the calendar in the form `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const timestampMs = Date.parse(`${text}T00:00:00.000Z`);
  // Date.parse carries 30 February over into March.
  return isStorable(timestampMs) && new Date(timestampMs).toISOString().startsWith(text);
}
