import type { MarkKind } from "./marks.js";

/** A problem that the user should check. The table remains usable. */
export interface LookAt {
  key: string;
  sign: MarkKind;
  /** A file, a line of a file, or several files. */
  where: string;
  /** The problem in two or three words. */
  what: string;
  /** The consequence, and the remedy. */
  meaning: string;
  actions: readonly LookAtAction[];
}

export type LookAtAction =
  | { name: string; press: () => void; isPrimary?: boolean }
  /** Lets the user replace this file with a different one. */
  | { name: string; chooseFor: number };
