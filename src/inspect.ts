import { csvFileNameOf } from "./file-name.js";
import { type Conclusion, Production } from "./production.js";
import type { DecodeOptions, RecordingInfo, Report, Source } from "./types.js";

/** What is in a recording. */
export interface Inspection {
  info: RecordingInfo;
  report: Report;
  /** Name of the CSV that `convert` would give; null when there would be none. */
  fileName: string | null;
  /** Rows between `from` and `to`. */
  rowsProduced: number;
  /** Recorded time: the sum of the ranges' lengths, ms. */
  recordedMs: number;
  /** How often there was what; null where it cannot be said. */
  rates: {
    /** Rows per second of recorded time. */
    gnssHz: number | null;
    /** Rows with a heart rate per second of recorded time. */
    hrHz: number | null;
    /** Samples per second of the ECG waveform, as its frames say. */
    ecgHz: number | null;
  };
}

/**
 * Reads a recording through and says what is in it, without handing out rows.
 *
 * @throws AsiError as `decode`; a recording without rows is no error here
 */
export async function inspect(source: Source, options: DecodeOptions = {}): Promise<Inspection> {
  const production = new Production(source, "none", options, () => null);
  await production.next();
  return inspectionOf(await production.conclusion);
}

/** The same, of a recording that has been read already. */
export function inspectionOf({ info, report, produced, recorded, ecgRawHz }: Conclusion): Inspection {
  const { rows } = report;
  const recordedMs = recorded.ms;
  const perSecond = (count: number) => (recordedMs === 0 ? null : (count * 1000) / recordedMs);
  return {
    info,
    report,
    fileName: csvFileNameOf(info.serial, produced),
    rowsProduced: produced.rows,
    recordedMs,
    rates: {
      // a range of n rows has n - 1 intervals
      gnssHz: perSecond(rows.total - recorded.ranges),
      hrHz: rows.withHr === 0 ? null : perSecond(rows.withHr),
      ecgHz: ecgRawHz === 0 ? null : ecgRawHz,
    },
  };
}
