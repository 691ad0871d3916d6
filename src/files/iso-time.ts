const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):?(\d\d))$/i;

/**
 * A date and time with an offset (ISO 8601), such as `2025-05-17T16:30:00.050+02:00`, in ms since 1970 UTC. Null for anything
 * else, also for a time without an offset: it depends on the zone.
 */
export function isoTimeMs(text: string): number | null {
  const [, date, time, fraction = "", sign, hours = "0", minutes = "0"] = ISO.exec(text) ?? [];
  if (date === undefined || Number(hours) > 23 || Number(minutes) > 59) return null;
  const iso = `${date}T${time}`;
  const ms = Date.parse(`${iso}Z`);
  // Date takes the 30th of February for a day in March
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(iso)) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return ms + Math.round(Number(`0.${fraction}`) * 1000) - offsetMs;
}
