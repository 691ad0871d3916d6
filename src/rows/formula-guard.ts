/**
 * Text for a cell of a CSV. A spreadsheet would run a text that begins like a formula (OWASP, CSV injection), also with full-width
 * characters; after an apostrophe, it shows the text.
 */
export const withoutFormula = (text: string): string =>
  /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
