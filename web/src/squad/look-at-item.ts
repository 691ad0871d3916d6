import type { MarkKind } from "./marks.js";

/** A problem that the user should check. The table works in spite of it. */
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
  /** Lets the user replace this file with another one. */
  | { name: string; chooseFor: number };
