import type {
  Damage,
  EcgFigures,
  EngineName,
  Range,
  RecordingInfo,
  Report,
  TrackBeatBatch,
} from "asi-convert";
import type {
  GatedProfile,
  MetabolicEstimate,
  MetabolicSummary,
  Metrics,
  ParameterOverrides,
  PeakDemands,
  PeakWindow,
  PresetName,
} from "asi-convert/metrics";
import type { Track } from "../map/projection.js";
import type { Pyramid } from "../plots/pyramid.js";

/** Types of files that the page opens. `service` is a range from the service. */
export type FileKind = "asi" | "fit" | "gpx" | "tcx" | "csv" | "service";

/** The metadata of a file. */
export interface Facts {
  fileName: string;
  fileBytes: number;
  kind: FileKind;
  /** The header, or null if the file format has none. */
  info: RecordingInfo | null;
  /** The report, which accounts for every byte. It is null for files other than recordings. */
  report: Report | null;
  /** The place up to which a FIT file is readable, or null if the file is complete. */
  cutOff: Damage["places"][number] | null;
  /** Sentences about omitted or computed data, if any. */
  notes: string[];
  /** The decoder that was used, or null for files other than recordings. */
  engine: EngineName | null;
  rows: number;
  ranges: Range[];
  /** Number of RR intervals in a FIT file. It is undefined for other files. */
  intervals?: number;
  /** Whether rows were out of order. The page shows them in chronological order. */
  isReordered: boolean;
}

/** The plotted quantities. */
export type ChannelName = "speed" | "heartRate" | "altitude";

/** An open recording, with the data that the page shows. */
export interface Recording {
  /** The id of the recording in the worker. */
  id: number;
  facts: Facts;
  track: Track;
  /** Channels without values are missing. */
  channels: Partial<Record<ChannelName, Pyramid>>;
  /** First and last row, ms since 1970 UTC. */
  startMs: number;
  stopMs: number;
}

/** Figures of a part of a recording, according to the rules of `asi stats` and of the service. */
export interface Figures {
  metrics: Metrics;
  rows: number;
  /** Recorded time without gaps. */
  recordedMs: number;
}

/** Settings of the computation of figures. */
export interface FigureSettings {
  preset: PresetName;
  /** Parameters that replace those of the preset, if any. */
  params?: ParameterOverrides | undefined;
  /** Maximum heart rate of the athlete, or null if it is unknown. */
  maxHeartRate: number | null;
  /** Maximum speed of the athlete, from which the speed zones derive, or null for the zones of the preset. */
  maxSpeedMPerS: number | null;
  /** Aerobic speed of the athlete, for zones of both speeds, or null for zones of the maximum speed only. */
  aerobicSpeedMPerS: number | null;
}

/** Distance covered since the first row, at ascending instants, according to the rules of the figures. */
export interface DistanceCurve {
  timesMs: Float64Array;
  distanceMm: Float64Array;
}

/** The longest distances in windows of each length, for the whole recording. */
export interface PeakDistances {
  /** Lengths in the list of the command. */
  listed: PeakWindow[];
  /** These lengths and many more, in ascending order. */
  curve: PeakWindow[];
  /** Models of these distances. */
  fits: Pick<PeakDemands, "power_law" | "critical_speed" | "critical_speed_3">;
}

/** The estimate of energy with its mean power. */
export type MetabolicPower = MetabolicEstimate & Pick<MetabolicSummary, "mean_power">;

/** The acceleration-speed profile of a recording with its points. */
export interface SpeedProfile {
  /** Maximum speed held for 0.5 s, m/s. It is null if the recording has less than 1 s with at least 5 samples per second. */
  heldSpeed: number | null;
  /** The points to which the line is fitted, before distant ones are dropped; m/s and m/s2. */
  points: readonly { readonly speed: number; readonly acceleration: number }[];
  found: GatedProfile;
}

/** Lowest and highest heart rate, bpm; both included. */
export type HeartRange = readonly [low: number, high: number];

/** Time, distance and mean speed in m/s; null if there is no speed. */
export interface RangeTotals {
  durationMs: number;
  distanceM: number | null;
  mPerS: number | null;
}

/** A recording while the heart rate is in a range. */
export interface HeartRangeFigures {
  /** Number of periods. */
  count: number;
  total: RangeTotals;
  /** The first periods. */
  listed: (RangeTotals & { startMs: number; endMs: number })[];
}

/** Columns of plots contain whole numbers, so alpha 1 is in thousandths. */
export const ALPHA_FACTOR = 0.001;

/** Beats from an ECG waveform, with their quality, or from the RR intervals of a FIT file, which lack quality. */
export type HeartBeats = TrackBeatBatch & { quality: Uint8Array | null };

/** Results from the ECG waveform of a recording, or from the RR intervals of a FIT file. */
export interface Heart {
  hasWaveform: boolean;
  /** The figures. They are null if there is no waveform, if it is shorter than a second, or if its sample rate is out of bounds. */
  figures: EcgFigures | null;
  beats: HeartBeats;
  /** RR intervals, ms. */
  rr: Pyramid;
  /** DFA alpha 1, in units of `ALPHA_FACTOR`. */
  alpha1: Pyramid;
}
