import type { Range, RecordingInfo, Report } from "asi-convert";
import type { Track } from "../map/projection.js";
import type { Pyramid } from "../plots/pyramid.js";

/** Kinds of files that can be opened. */
export type FileKind = "asi" | "fit" | "gpx" | "tcx" | "csv";

/** What a file says about itself. */
export interface Facts {
  fileName: string;
  fileBytes: number;
  kind: FileKind;
  /** Null where the kind of file has no header. */
  info: RecordingInfo | null;
  /** Accounts for every byte; null for files other than recordings. */
  report: Report | null;
  /** Sentences about what was left out or computed; empty if there is nothing to say. */
  notes: string[];
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

/** Figures of a part of a recording. */
export interface Summary {
  recordedMs: number;
  rows: number;
  distanceM: number;
  /** m/s; null without rows. */
  maxSpeed: number | null;
  meanSpeed: number | null;
  /** Beats per minute; null without heart rates. */
  maxHeartRate: number | null;
  meanHeartRate: number | null;
}
