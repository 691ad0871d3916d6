import type { Damage } from "asi-convert";
import type { HeartRateVariability, ParameterOverrides, Recipe, StandardRuns } from "asi-convert/metrics";
import type { Player } from "asi-convert/squad";
import type { Drawing } from "../map/drawing.js";
import type { Origin } from "../map/projection.js";
import type { RemoteColumns } from "../plots/plot-panel.js";
import type { TimeWindow } from "../view/window.js";
import type { Hooks } from "./calls.js";
import type { DeviceRange } from "./device-range.js";
import type { RecipeFigures } from "./recipe.js";
import type {
  DistanceCurve,
  FigureSettings,
  Figures,
  Heart,
  HeartRange,
  HeartRangeFigures,
  MetabolicPower,
  PeakDistances,
  Recording,
  SpeedProfile,
} from "./recording.js";
import type { Saved, SavedFormat, SaveOptions } from "./save.js";

/** A recording of the worker and its visible part, with times of the recording. */
export interface Shown {
  id: number;
  shown: TimeWindow;
  number: number;
}

/** A recording of the worker, or a part of it, with times of the recording. */
export interface SavedPart {
  id: number;
  /** The part, or null for the whole recording. */
  part: TimeWindow | null;
}

/** The calls from the page to the worker. */
export interface Requests {
  open: { asked: { file: File; serial: string | null; origin: Origin | null }; answered: Recording };
  fetchRange: { asked: { range: DeviceRange; origin: Origin | null }; answered: Recording };
  demonstrate: { asked: { number: number }; answered: File };
  close: { asked: { id: number }; answered: null };
  draw: { asked: { drawing: Drawing; recordings: Shown[] }; answered: Uint8ClampedArray<ArrayBuffer> };
  figures: { asked: { id: number; shown: TimeWindow; settings: FigureSettings }; answered: Figures };
  /** The distance, with these settings of the figures. */
  distance: { asked: { id: number; settings: FigureSettings }; answered: DistanceCurve };
  peaks: { asked: { id: number; settings: FigureSettings }; answered: PeakDistances };
  profile: { asked: { id: number; settings: FigureSettings }; answered: SpeedProfile };
  metabolicPower: {
    asked: { id: number; shown: TimeWindow; settings: FigureSettings };
    answered: MetabolicPower;
  };
  standardRuns: { asked: { id: number; settings: FigureSettings }; answered: StandardRuns };
  heartRange: {
    asked: { id: number; range: HeartRange; settings: FigureSettings };
    answered: HeartRangeFigures;
  };
  recipe: { asked: { id: number; shown: TimeWindow; recipe: Recipe }; answered: RecipeFigures };
  /** Reads waveform and beats. The answer is null if there are none. */
  heart: { asked: { id: number }; answered: Heart | null };
  /** Heart-rate variability in the given time window. Requires `heart`. With `atRest`, the result includes LF and HF. */
  variability: {
    asked: { id: number; shown: TimeWindow; atRest: boolean };
    answered: HeartRateVariability;
  };
  /** The plot data of the waveform. Requires `heart`. */
  waveform: { asked: { id: number; shown: TimeWindow; pixels: number }; answered: RemoteColumns };
  findDamage: { asked: { id: number }; answered: Damage };
  /** The thresholds and maximum heart rate of a player, which replace those of the squad. */
  ownParameters: { asked: { player: Player | null }; answered: ParameterOverrides };
  save: { asked: SavedPart & { format: SavedFormat; options: SaveOptions }; answered: Saved };
  /** Writes one CSV with several recordings. */
  saveTogether: { asked: { parts: SavedPart[]; options: SaveOptions }; answered: Saved };
}

export type RequestName = keyof Requests;

/** Reads and draws recordings. The worker implements it; in a report, the page itself does. */
export interface RecordingService {
  /** @throws ReadingError */
  ask<Name extends RequestName>(
    name: Name,
    asked: Requests[Name]["asked"],
    hooks?: Hooks,
  ): Promise<Requests[Name]["answered"]>;
  /** Whether the service can write files. */
  readonly canSave: boolean;
}
