/** Characters that are assigned, no white space, and yet have no ink: they are drawn as an empty space. */
const BLANK = /[\u2800\u{1d159}\u{13441}\u{13442}\u{16fe4}]/u;

/** White space at either end, and invisible characters: control and format characters, fillers, private and unassigned ones. */
const HIDDEN = /^\s|\s$|[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** A character that is drawn by itself; marks alone are drawn on whatever is before them. */
const DRAWN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Characters that change the order of the text around them, or end a line or a paragraph. */
const REORDERING = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Visible characters of the text. */
const drawn = (text: string) => text.replaceAll(new RegExp(BLANK, "gu"), "");

/**
 * Whether every character of a name is seen, both as it is and in the form in which names are compared: otherwise it could
 * look like another name.
 */
export const isVisibleName = (name: string): boolean =>
  [name, name.normalize("NFKC")].every((form) => !HIDDEN.test(form) && !BLANK.test(form) && DRAWN.test(form));

/**
 * Whether the name of a person can be shown beside other text: empty, or with something to see, and without characters that
 * reorder what is around it. Joiners inside are part of the writing of some languages.
 */
export const isShownName = (name: string): boolean =>
  !REORDERING.test(name) && (name.trim() === "" || DRAWN.test(drawn(name.normalize("NFKC"))));
