import type { ComputedDataFigures } from "./computed-data.js";
import type { ConversionFigures } from "./conversion.js";
import type { DownloadFigures } from "./downloads.js";
import type { IntegrationFigures } from "./integration.js";
import type { ReadingFigures } from "./reading.js";
import type { SquadFigures } from "./squad.js";
import type { StreamFigures } from "./streams.js";

/** Measurements on one database; parts that were not measured are absent. */
export interface Figures {
  /** Results with little data, and with ten times as much. */
  reading?: { small: ReadingFigures; large: ReadingFigures };
  load?: LoadingFigures;
  downloads?: DownloadFigures;
  streams?: StreamFigures;
  integration?: IntegrationFigures;
  conversion?: ConversionFigures;
  uploadMemoryMb?: number;
  computedData?: ComputedDataFigures;
  squad?: SquadFigures;
}

export interface LoadingFigures {
  /** Median of the loads of one recording. */
  samplesPerS: number;
  bytesPerSample: number;
  samples: { small: number; large: number };
}

/** A value, its target, and its calculation from the measurements. */
export interface Target {
  readonly what: string;
  /** Null for a value without a target. */
  readonly bound: "at most" | "at least" | "under" | null;
  /** Null for a value without a target. */
  readonly limit: number | null;
  readonly unit: string;
  /** Undefined if the part was not measured, or if the system does not report it. */
  measure(figures: Figures): number | undefined;
  /** Returns the measurements from which the value is calculated. */
  from?(figures: Figures): string | undefined;
}
