/**
 * Escapes a text for a spreadsheet cell. A spreadsheet would run a text that begins like a formula, even with full-width
 * characters (OWASP, CSV injection). With an apostrophe at the start, it shows the text.
 */
export const withoutFormula = (text: string): string =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;

/** Formats a text as a CSV field (RFC 4180) that no spreadsheet runs as a formula. */
export function csvField(text: string, delimiter: string): string {
  const shown = withoutFormula(text);
  return /["\r\n]/.test(shown) || shown.includes(delimiter) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
