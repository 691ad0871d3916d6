import type { ComputedDataExtent, ComputedDataFigures } from "./computed-data.js";
import type { SquadExtent, SquadPlaces } from "./squad-scene.js";

/** Commands from the benchmark to the measured process: arguments and results. */
export interface Commands {
  /** Stores the given number of samples, recording by recording. */
  load: { takes: { sessions: number }; gives: LoadFigures };
  /** Makes the same server respond to this path with these bytes from memory, bypassing the service. */
  serve: { takes: { path: string; file: string }; gives: null };
  /** Creates a squad with a match and earlier sessions, and stores their figures. */
  squad: { takes: SquadExtent; gives: SquadPlaces };
  /** Deletes all stored figures of sessions. */
  forgetFigures: { takes: null; gives: null };
  computedData: { takes: ComputedDataExtent; gives: ComputedDataFigures };
}

export type CommandName = keyof Commands;

export interface LoadFigures {
  /** The device with one session a day, and the device that records without a break. */
  device: number;
  restlessDevice: number;
  /** Duration of each load of one session, from decoded rows to the commit, ms. */
  sessionMs: number[];
  samples: number;
  bytesOnDisk: number;
}

export interface Question {
  id: number;
  name: CommandName;
  takes: Commands[CommandName]["takes"];
}

/** Messages of the measured process: first its address, then a response to each command. */
export type Message =
  | { kind: "ready"; url: string; token: string }
  | { kind: "answer"; id: number; gives: Commands[CommandName]["gives"] }
  | { kind: "failed"; id: number | null; why: string };
