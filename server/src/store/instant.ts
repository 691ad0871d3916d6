/** As PostgreSQL writes a timestamptz in a session whose time zone is UTC and whose DateStyle is ISO. */
const TEXT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)\+00$/;

/**
 * A timestamptz as the database writes it. `Date` alone would guess at texts of this form: it takes the year 20 for 2020.
 * @throws RangeError for every other text, such as `infinity` or a year BC
 */
export function readInstant(text: string): Date {
  const [, day, time] = TEXT.exec(text) ?? [];
  if (day === undefined) throw new RangeError(`Not a time that the service stores: ${text}`);
  return new Date(`${day}T${time}Z`);
}
