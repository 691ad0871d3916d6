/** Assigned characters that are not white space but that fonts draw blank. */
const BLANK = /[\u2800\u{1d159}\u{13441}\u{13442}\u{16fe4}]/u;

/** Leading or trailing white space, and invisible characters: control, format, filler, private-use and unassigned characters. */
const HIDDEN = /^\s|\s$|[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** A character with a separate glyph; a mark combines with the preceding character. */
const DRAWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Characters that change the order of the text around them, or end a line or a paragraph. */
const REORDERING = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Returns the text without blank characters. */
const drawn = (text: string) => text.replaceAll(new RegExp(BLANK, "gu"), "");

/**
 * Whether every character of a name is visible, both as sent and in normalised form. Otherwise it could look like another name.
 */
export const isVisibleName = (name: string): boolean =>
  [name, name.normalize("NFKC")].every((form) => !HIDDEN.test(form) && !BLANK.test(form) && DRAWN.test(form));

/**
 * Whether the name of a person can be shown beside other text. It must be empty or contain a visible character, and
 * must not contain characters that reorder the surrounding text. Joiners are allowed, because some languages need them.
 */
export const isShownName = (name: string): boolean =>
  !REORDERING.test(name) && (name.trim() === "" || DRAWN.test(drawn(name.normalize("NFKC"))));
