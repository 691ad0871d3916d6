import { offsetText, TimeZone } from "./time-zone.js";

/**
 * Returns a function that formats instants as `2025-05-17T14:30:00.000Z`, or in a time zone as `2025-05-17T16:30:00.000+02:00`.
 */
export function instantFormat(timeZone: string | undefined): (ms: number) => string {
  if (timeZone === undefined) return (ms) => new Date(ms).toISOString();
  const zone = new TimeZone(timeZone);
  return (ms) => {
    const offsetMs = zone.offsetAt(ms);
    return new Date(ms + offsetMs).toISOString().replace("Z", offsetText(offsetMs));
  };
}

/** Returns the offset of a time zone from UTC in ms at an instant; 0 if there is no zone. */
export function offsetIn(timeZone: string | undefined, ms: number): number {
  return timeZone === undefined ? 0 : new TimeZone(timeZone).offsetAt(ms);
}
