/**
 * Escapes a text for a spreadsheet cell. A spreadsheet would run a text that begins like a formula, even with full-width
 * characters (OWASP, CSV injection). With an apostrophe at the start, it shows the text. Where lists are separated by semicolons, a
 * spreadsheet also splits the text of a file with commas at them.
 */
export const withoutFormula = (text: string): string =>
  text.replace(/(^|[;\t])(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g, "$1'");

/** Formats a text as a CSV field (RFC 4180) that no spreadsheet runs as a formula. */
export function csvField(text: string, delimiter: string): string {
  const shown = withoutFormula(text);
  return /["\r\n]/.test(shown) || shown.includes(delimiter) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
