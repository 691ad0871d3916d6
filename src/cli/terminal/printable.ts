// Escapes control characters in file names, arguments and texts of recordings, which could manipulate a terminal.

// Control characters (C0, DEL, C1), line separators, and bidirectional controls.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;
const KEPT = /[\n\t]/;

/** Escapes a name, so that it is on one line: an escape character becomes `\x1b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** Escapes a text like `printable`, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (KEPT.test(character) ? character : escaped(character)));
}

/** Formats JSON on one line without these characters. */
export function printableJson(value: object): string {
  return JSON.stringify(value).replace(UNPRINTABLE, (character) => `\\u${hex(character, 4)}`);
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return character.charCodeAt(0) < 0x100 ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}
