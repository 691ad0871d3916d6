import { optionNames, requireOptions } from "../arguments.js";
import { pulledStream, readingBehind } from "../reading/pulled-stream.js";
import { SourceReader } from "../reading/source-reader.js";
import { promisesOfReading } from "../sources/promise-of-reading.js";
import type { DecodeOptions, EngineName, RecordingInfo, Report, Source } from "../types.js";

/**
 * A repair in progress. The promises are fulfilled when the stream has been read to its end. Awaiting them while nothing reads
 * the stream rejects with `NOT_READ`, as for a {@link Conversion}.
 */
export interface Repair {
  readonly recording: ReadableStream<Uint8Array>;
  /** The report on the damaged input. */
  readonly report: Promise<Report>;
  readonly info: Promise<RecordingInfo>;
  /** The decoder that was used. */
  readonly engine: Promise<EngineName>;
}

/** Options of `decode` that concern reading, not the selection of rows. */
export type RepairOptions = Pick<DecodeOptions, "serial" | "signal" | "engine">;

/** Every option of `repair`. */
export const REPAIR_OPTIONS = optionNames<RepairOptions>({ serial: true, signal: true, engine: true });

/**
 * Copies the valid frames of a recording, including unknown kinds, and omits damaged frames and foreign bytes. The
 * result has the same rows as the input. With `serial`, the headers get that serial number, and a plain u-blox log gets a header.
 *
 * @throws AsiError like `decode`
 */
export function repair(source: Source, options: RepairOptions = {}): Repair {
  requireOptions(options, REPAIR_OPTIONS);
  const reader = new SourceReader(source, { ...options, strict: false, output: "frames" });
  const recording = pulledStream(
    () => reader.next(),
    (reason) => reader.cancel(reason),
  );
  const promised = promisesOfReading(
    readingBehind(recording, reader),
    "Read recording to its end first, then await it.",
  );
  return {
    recording,
    report: promised("report", reader.report),
    info: promised("info", reader.info),
    engine: promised("engine", reader.engine),
  };
}
