import { UntilCut } from "../../files/gzip.js";
import { type Repeated, repeatedIn } from "../../metrics/samples.js";
import { checkDecodeOptions } from "../../reading/decode-options.js";
import { type Inspection, inspectionOf } from "../../reading/read-result.js";
import { noSamples } from "../../reading/recording-errors.js";
import { SourceReader } from "../../reading/source-reader.js";
import { joinBatches } from "../../rows/sample-batch.js";
import type { TrackSummary } from "../../tracks/decode-track.js";
import type { HrSource, SampleBatch } from "../../types.js";
import { resolveBounds, type TimeBound, type TimeBounds } from "../arguments/time-bounds.js";
import { type Input, openInput } from "../batch/inputs.js";
import { withBounds } from "./convert-input.js";
import { explainEmptyRange } from "./no-samples.js";
import { openRecordingOrTrack } from "./track-input.js";

/** Options that select the rows of an input, and how they are read. */
export interface SampleFlags {
  from?: TimeBound;
  to?: TimeBound;
  tz?: string;
  serial?: string;
  hr?: HrSource;
}

/** The options after validation. */
export interface SampleSelection {
  bounds: TimeBounds;
  serial: string | undefined;
  hr: HrSource | undefined;
  /** Whether a recipe with a gate needs the quality of the rows. Default: false. */
  quality?: boolean;
  /** Whether truncated compressed data are accepted, and read up to their end. Otherwise they cause `BAD_GZIP`. */
  mayBeCut?: boolean;
  /** Whether a track may contain RR intervals instead of rows. For commands that read FIT, GPX and TCX files. */
  tracks?: { mayLackRows: boolean };
}

/**
 * Validates the options.
 * @throws AsiError `BAD_OPTION`
 */
export function selectionOf({ from, to, tz, serial, hr }: SampleFlags): SampleSelection {
  const bounds = { from, to, timeZone: tz };
  checkDecodeOptions({ serial, hr, ...resolveBounds(bounds, null) });
  return { bounds, serial, hr };
}

/** All rows of an input in memory: 26 bytes per row, or 33 with their quality. */
export interface ReadSamples {
  samples: SampleBatch;
  repeated: Repeated;
  inspection: Inspection;
  /** Whether the compressed data are truncated. */
  isCut: boolean;
  /** Null if the input is a recording. */
  track: TrackSummary | null;
  /** Limits for the times of rows, ms since 1970 UTC; undefined if not set. */
  from: number | undefined;
  to: number | undefined;
}

/** Reads an input to its end. Throws the errors of `decode`, `NO_SAMPLES`, and the reason for a missing input. */
export function readSamples(
  input: Input,
  { bounds, serial, hr, quality, mayBeCut = false, tracks }: SampleSelection,
  signal: AbortSignal,
  onProgress: (bytesRead: number) => void,
): Promise<ReadSamples> {
  const read = async () => {
    const opened =
      tracks === undefined
        ? { source: openInput(input, onProgress), summary: null }
        : await openRecordingOrTrack(input, { serial, ...tracks }, onProgress);
    const { source: whole, from, to } = await withBounds(opened.source, bounds, serial);
    const untilCut = mayBeCut ? new UntilCut(whole) : null;
    const source = untilCut ?? whole;
    const reader = new SourceReader(source, { output: "columns", serial, hr, quality, from, to, signal });
    const batches: SampleBatch[] = [];
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) batches.push(batch);
    const inspection = inspectionOf(await reader.result);
    const track = opened.summary === null ? null : await opened.summary();
    const isEmptyTrack = track?.rows === 0;
    if (inspection.rowsProduced === 0 && !isEmptyTrack) throw noSamples(inspection.report);
    const samples = joinBatches(batches);
    const isCut = untilCut?.isCut ?? false;
    return { samples, repeated: repeatedIn(samples), inspection, isCut, track, from, to };
  };
  return explainEmptyRange(bounds, read());
}
