/** Format of a timestamptz in a session with the time zone UTC and the DateStyle ISO. */
const TEXT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)\+00$/;

/**
 * Parses a timestamptz from the database. The `Date` constructor is not reliable: it reads the year 20 as 2020.
 * @throws RangeError for all other texts, such as `infinity` or a year BC
 */
export function readInstant(text: string): Date {
  const [, day, time] = TEXT.exec(text) ?? [];
  if (day === undefined) throw new RangeError(`Not a time that the service stores: ${text}`);
  return new Date(`${day}T${time}Z`);
}
