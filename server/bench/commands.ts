import type { ComputedDataExtent, ComputedDataFigures } from "./computed-data.js";

/** What the benchmark asks of the process that it measures: what each command takes, and what it answers. */
export interface Commands {
  /** Stores what the extent says, recording by recording. */
  load: { takes: { sessions: number }; gives: LoadFigures };
  /** From now on this path is answered with these bytes from memory, by the same server and without the service. */
  serve: { takes: { path: string; file: string }; gives: null };
  computedData: { takes: ComputedDataExtent; gives: ComputedDataFigures };
}

export type CommandName = keyof Commands;

export interface LoadFigures {
  /** Device with a session a day, and the one that records without a break. */
  device: number;
  restlessDevice: number;
  /** Times of the loads of one session each, from its decoded rows to the commit, ms. */
  sessionMs: number[];
  samples: number;
  bytesOnDisk: number;
}

export interface Question {
  id: number;
  name: CommandName;
  takes: Commands[CommandName]["takes"];
}

/** What the measured process sends: once where it is to be reached, then an answer to each question. */
export type Message =
  | { kind: "ready"; url: string; token: string }
  | { kind: "answer"; id: number; gives: Commands[CommandName]["gives"] }
  | { kind: "failed"; id: number | null; why: string };
