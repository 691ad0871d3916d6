import type { MarkKind } from "./marks.js";

/** A problem that the user should check. The table remains usable. */
export interface LookAt {
  /** Identifies the problem among those of the same recordings. */
  key: string;
  /** Ids of the recordings that it concerns. Without ids, it concerns all sessions. */
  recordings?: readonly number[];
  sign: MarkKind;
  /** A file, a line of a file, or several files. */
  where: string;
  /** The problem in two or three words. */
  what: string;
  /** The consequence, and the remedy. */
  meaning: string;
  actions: readonly LookAtAction[];
  /** The name of the action that dismisses the problem. */
  ignore?: string;
}

export type LookAtAction =
  | { name: string; press: () => void; isPrimary?: boolean }
  /** Lets the user replace this file with a different one. */
  | { name: string; chooseFor: number };
