import { offsetText, TimeZone } from "../../rows/time-zone.js";

// Times as the command prints them.

/** Formats instants: `2025-05-17T14:30:00.000Z`, or in a time zone `2025-05-17T16:30:00.000+02:00`. */
export function instantFormat(timeZone: string | undefined): (ms: number) => string {
  if (timeZone === undefined) return (ms) => new Date(ms).toISOString();
  const zone = new TimeZone(timeZone);
  return (ms) => {
    const offsetMs = zone.offsetAt(ms);
    return new Date(ms + offsetMs).toISOString().replace("Z", offsetText(offsetMs));
  };
}

/** Offset of a time zone from UTC in ms at an instant; 0 without a zone. */
export function offsetIn(timeZone: string | undefined, ms: number): number {
  return timeZone === undefined ? 0 : new TimeZone(timeZone).offsetAt(ms);
}

/** `1:42:05.300`: hours, minutes, seconds. */
export function timeSpanText(ms: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const fraction = ms % 1000 === 0 ? "" : `.${String(ms % 1000).padStart(3, "0")}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
