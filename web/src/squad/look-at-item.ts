import type { MarkKind } from "./marks.js";

/** Something that somebody should look at. Nothing of it stops the table. */
export interface LookAt {
  key: string;
  sign: MarkKind;
  /** A file, a line of one, or several files. */
  where: string;
  /** What it is, in two or three words. */
  what: string;
  /** What that means, and what to do. */
  meaning: string;
  actions: readonly LookAtAction[];
}

export type LookAtAction =
  | { name: string; press: () => void; isPrimary?: boolean }
  /** Lets the user choose another file in the place of this one. */
  | { name: string; chooseFor: number };
