/** The start of a cell. A spreadsheet with other separators also splits a text at them, and quotes in it do not prevent this. */
const START = `([;,\\t\\r\\n]"*|^)`;

/** Precedes characters with which a formula begins, even full-width ones (OWASP, CSV injection). */
const FORMULA = "(?=[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20])";

const replacing = (pattern: string, by: string) => (text: string) =>
  text.replace(new RegExp(pattern, "g"), by);

/** Escapes a text for a spreadsheet cell. A spreadsheet would run a formula; after an apostrophe, it shows the text. */
export const withoutFormula: (text: string) => string = replacing(
  `${START}${FORMULA}|^(?=[\\t\\r\\n])`,
  "$1'",
);

/** Escapes a trimmed text, and adds an apostrophe to those before a formula. Different texts have different cells. */
export const guarded: (text: string) => string = replacing(`${START}('*)${FORMULA}`, "$1'$2");

/** Returns the text that `guarded` has escaped. */
export const unguarded: (cell: string) => string = replacing(`${START}'('*)${FORMULA}`, "$1$2");

/** Formats a text as a CSV field (RFC 4180) that no spreadsheet runs as a formula. */
export function csvField(text: string, delimiter: string): string {
  const shown = withoutFormula(text);
  return /["\r\n]/.test(shown) || shown.includes(delimiter) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
