/** A spreadsheet would run a text that begins like a formula (OWASP, CSV injection); with an apostrophe before it, it shows it. */
export const withoutFormula = (text: string): string => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);
