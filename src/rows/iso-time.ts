/** The parts of a date, or of a date and time, in ISO 8601. */
export interface WrittenTime {
  /** `minutes` means without seconds, and `compact` without dashes and colons, as in file names. */
  form: "date" | "minutes" | "seconds" | "compact";
  /** The local time, without the fraction of the second, as ms since 1970. */
  localMs: number;
  fractionMs: number;
  /** Local time minus UTC; undefined if there is no offset in the text. */
  offsetMs: number | undefined;
}

const EXTENDED = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d:?\d\d)?)?$/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)((?:[.,]\d+)?Z?)$/i;

/**
 * Reads a date and time (ISO 8601), such as `2025-05-17T16:30:00.050+02:00`. A space may replace the T. The offset, the seconds
 * or the whole time may be omitted. Returns null for any other text, and for dates and times that do not exist.
 */
export function parseIsoTime(text: string): WrittenTime | null {
  const extended = EXTENDED.exec(text);
  const match = extended ?? EXTENDED.exec(text.replace(COMPACT, "$1-$2-$3T$4:$5:$6$7"));
  if (match === null) return null;
  const [, date, minutes, seconds, fraction = "", offset] = match;
  const iso = `${date}T${minutes ?? "00:00"}:${seconds ?? "00"}`;
  const localMs = Date.parse(`${iso}Z`);
  // Date interprets 30 February as a day in March
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(iso)) return null;
  const offsetMs = offset === undefined ? undefined : offsetMsOf(offset);
  if (Number.isNaN(offsetMs)) return null;
  const form = minutes === undefined ? "date" : seconds === undefined ? "minutes" : "seconds";
  return {
    form: extended === null ? "compact" : form,
    localMs,
    fractionMs: Number(`0.${fraction}`) * 1000,
    offsetMs,
  };
}

/** Reads `+02:00`, `+0200` or `Z`. Returns NaN for an impossible offset. */
function offsetMsOf(text: string): number {
  if (text.length === 1) return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(-2));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
