import type { BeatBatch, EcgFigures, EngineName, Range, RecordingInfo, Report } from "asi-convert";
import type { Metrics, PeakWindow, PresetName } from "asi-convert/metrics";
import type { Track } from "../map/projection.js";
import type { Pyramid } from "../plots/pyramid.js";

/** Kinds of files that can be opened; `service`: a range that the service has sent. */
export type FileKind = "asi" | "fit" | "gpx" | "tcx" | "csv" | "service";

/** The metadata of a file. */
export interface Facts {
  fileName: string;
  fileBytes: number;
  kind: FileKind;
  /** Null where the kind of file has no header. */
  info: RecordingInfo | null;
  /** Accounts for every byte; null for files other than recordings. */
  report: Report | null;
  /** Where a FIT file stops being readable, after its rows; null where there is no such place. */
  cutOff: DamagePlace | null;
  /** Sentences about what was left out or computed; empty if there is nothing to say. */
  notes: string[];
  /** The decoder that was used; null for files other than recordings. */
  engine: EngineName | null;
  rows: number;
  ranges: Range[];
  /** Whether rows were out of order; they are shown in the order of their times. */
  isReordered: boolean;
}

/** The quantities that are plotted. */
export type ChannelName = "speed" | "heartRate" | "altitude";

/** A recording that has been read: what the page needs to show it. */
export interface Recording {
  /** Identifies it in the worker. */
  id: number;
  facts: Facts;
  track: Track;
  /** Channels without a value are missing. */
  channels: Partial<Record<ChannelName, Pyramid>>;
  /** First and last row, ms since 1970 UTC. */
  startMs: number;
  stopMs: number;
}

/** Figures of a part of a recording, as `asi stats` and the service compute them. */
export interface Figures {
  metrics: Metrics;
  rows: number;
  /** Recorded time: gaps are not part of it. */
  recordedMs: number;
}

/** How figures are computed. */
export interface FigureSettings {
  preset: PresetName;
  /** Maximum heart rate of the athlete; null if it is unknown. */
  maxHeartRate: number | null;
}

/** Distance covered since the first row, at ascending instants, as the figures count it. */
export interface DistanceCurve {
  timesMs: Float64Array;
  distanceMm: Float64Array;
}

/** The longest distances in windows of each length, from the whole recording. */
export interface PeakDistances {
  /** Of the lengths that the command lists. */
  listed: PeakWindow[];
  /** Of these and many more, by their lengths. */
  curve: PeakWindow[];
}

/** Columns of plots hold whole numbers: alpha 1 comes in thousandths. */
export const ALPHA_FACTOR = 0.001;

/** What the ECG waveform of a recording says. */
export interface Heart {
  /** Null if the waveform is shorter than a second, or its sample rate is out of bounds. */
  figures: EcgFigures | null;
  beats: BeatBatch;
  /** RR intervals, ms. */
  rr: Pyramid;
  /** DFA alpha 1, in units of `ALPHA_FACTOR`. */
  alpha1: Pyramid;
}

/** A damaged place of a recording. */
export interface DamagePlace {
  byteOffset: number;
  /** The last row before it, ms since 1970 UTC; null if there is none. */
  afterMs: number | null;
}

/** The damaged places of a recording, in their order. */
export interface Damage {
  places: DamagePlace[];
  /** Whether there are more. */
  hasMore: boolean;
}
