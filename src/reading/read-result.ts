import type { Engine, Produced, Span } from "../engine/engine.js";
import type { EcgFigures } from "../engine/heart-rate/waveform-figures.js";
import type { EngineName, RecordingInfo, Report } from "../types.js";
import { csvFileNameOf } from "./file-name.js";

/** The content of a recording. */
export interface Inspection {
  info: RecordingInfo;
  report: Report;
  /** Name of the CSV that `convert` would write; null if there are no rows. */
  fileName: string | null;
  /** Number of rows between `from` and `to`, after selection by `everyMs`. */
  rowsProduced: number;
  /** The sum of the ranges' lengths, ms. It includes gaps of up to 5 minutes, which `asi info` and the figures exclude. */
  recordedMs: number;
  /** Mean rates in this time; null if it is 0. */
  rates: {
    /** Rows per second. */
    gnssHz: number | null;
    /** Rows with a heart rate per second. */
    hrHz: number | null;
    /** Sample rate of the ECG waveform, from its frames. */
    ecgHz: number | null;
  };
  /** Heart figures from the ECG waveform; null if there is no waveform, or with `hr: "device"`. Only `inspect` computes them. */
  ecg: EcgFigures | null;
  /** The decoder that was used. */
  engine: EngineName;
}

/** The result for a recording that has been read to its end. */
export interface ReadResult extends Inspection {
  /** The earliest and the latest produced row of each range with such rows, in order, ms since 1970 UTC. */
  readonly spans: Span[];
}

/** Returns the result after the last step of an engine. `produced` describes the output rows. */
export function resultOf(engine: Engine, info: RecordingInfo, produced: Produced): ReadResult {
  const report = engine.report();
  const recorded = engine.recorded();
  const ecgRawHz = engine.ecgRawHz();
  const { rows } = report;
  const perSecond = (count: number) => (recorded.ms === 0 ? null : (count * 1000) / recorded.ms);
  return {
    info,
    report,
    fileName: csvFileNameOf(info.serial, produced),
    rowsProduced: produced.rows,
    recordedMs: recorded.ms,
    rates: {
      // a range of n rows has n - 1 intervals
      gnssHz: perSecond(rows.total - recorded.ranges),
      hrHz: rows.withHr === 0 ? null : perSecond(rows.withHr),
      ecgHz: ecgRawHz === 0 ? null : ecgRawHz,
    },
    ecg: engine.ecgFigures(),
    engine: engine.name,
    // the list can be long, so it is created on first access
    get spans() {
      return produced.spans;
    },
  };
}

/** Returns the result without the list of spans. */
export function inspectionOf(result: ReadResult): Inspection {
  const { info, report, fileName, rowsProduced, recordedMs, rates, ecg, engine } = result;
  return { info, report, fileName, rowsProduced, recordedMs, rates, ecg, engine };
}
