/** As PostgreSQL writes a timestamptz (DateStyle ISO); an offset may have seconds where the session's zone had them. */
const TEXT = /^(\d{4,})-(\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/**
 * A timestamptz as the database writes it. `Date` alone would guess at texts of this form: it takes the year 20 for 2020.
 * @throws RangeError for every other text, such as `infinity` or a year BC
 */
export function readInstant(text: string): Date {
  const [, year, day, time, sign, hours, minutes, seconds] = TEXT.exec(text) ?? [];
  if (year === undefined) throw new RangeError(`Not a time that the service stores: ${text}`);
  const offsetS = Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  const localMs = Date.parse(`${year}-${day}T${time}Z`);
  return new Date(sign === "+" ? localMs - offsetS * 1000 : localMs + offsetS * 1000);
}
