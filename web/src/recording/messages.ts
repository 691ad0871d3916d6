import type { Drawing } from "../map/drawing.js";
import type { Origin } from "../map/projection.js";
import type { TimeWindow } from "../view/window.js";
import type { DeviceRange } from "./fetch-range.js";
import type { Damage, FigureSettings, Figures, Recording } from "./recording.js";
import type { Saved, SavedFormat } from "./save.js";

/** A recording of the worker and its part that is shown, on its own clock. */
export interface Shown {
  id: number;
  shown: TimeWindow;
  number: number;
}

/** What the page asks of the worker, and what it answers. */
export interface Requests {
  open: { asked: { file: File; serial: string | null; origin: Origin | null }; answered: Recording };
  fetchRange: { asked: { range: DeviceRange; origin: Origin | null }; answered: Recording };
  demonstrate: { asked: { number: number }; answered: File };
  close: { asked: { id: number }; answered: null };
  draw: { asked: { drawing: Drawing; recordings: Shown[] }; answered: Uint8ClampedArray<ArrayBuffer> };
  figures: { asked: { id: number; shown: TimeWindow; settings: FigureSettings }; answered: Figures };
  findDamage: { asked: { id: number }; answered: Damage };
  save: { asked: { id: number; format: SavedFormat; part: TimeWindow | null }; answered: Saved };
}

export type RequestName = keyof Requests;

/** What reads and draws recordings: the worker, or the page itself in a report. */
export interface RecordingReader {
  /**
   * @param signal cancels `fetchRange`
   * @throws ReadingError; the reason of the signal
   */
  ask<Name extends RequestName>(
    name: Name,
    asked: Requests[Name]["asked"],
    onProgress?: (progress: number) => void,
    signal?: AbortSignal,
  ): Promise<Requests[Name]["answered"]>;
  /** Whether it can write files. */
  readonly canSave: boolean;
}

export type Request = {
  [Name in RequestName]: { call: number; name: Name; asked: Requests[Name]["asked"] };
}[RequestName];

/** Ends the work for a request whose answer nobody wants any more. */
export interface Cancellation {
  call: number;
  isCancelled: true;
}

/** An error on its way from the worker to the page. */
export interface Failure {
  /** Code of the library or of the service; null for an error of another kind. */
  code: string | null;
  message: string;
  byteOffset: number | null;
  line: number | null;
}

export type Reply =
  | { call: number; answered: unknown }
  | { call: number; failed: Failure }
  | { call: number; progress: number };
