/**
 * Text for a cell of a CSV. A spreadsheet would run a text that begins like a formula (OWASP, CSV injection), including with full-width
 * characters; after an apostrophe, it shows the text.
 */
export const withoutFormula = (text: string): string =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;

/** Text as a field of a CSV (RFC 4180), which no spreadsheet runs as a formula. */
export function csvField(text: string, delimiter: string): string {
  const shown = withoutFormula(text);
  return /["\r\n]/.test(shown) || shown.includes(delimiter) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
