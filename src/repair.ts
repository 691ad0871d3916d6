import { requireObject } from "./arguments.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { pulledStream, readingBehind } from "./pulled-stream.js";
import { SourceReader } from "./source-reader.js";
import type { DecodeOptions, EngineName, RecordingInfo, Report, Source } from "./types.js";

/**
 * A clean recording on its way. The promises are fulfilled when the stream has been read to its end. Awaited while nobody reads
 * it they are rejected with `NOT_READ`, as those of a {@link Conversion} are.
 */
export interface Repair {
  readonly recording: ReadableStream<Uint8Array>;
  /** The account of the damaged input. */
  readonly report: Promise<Report>;
  readonly info: Promise<RecordingInfo>;
  /** Which decoder did the work. */
  readonly engine: Promise<EngineName>;
}

/** Options of `decode` that say how to read, not which rows. */
export type RepairOptions = Pick<DecodeOptions, "serial" | "signal" | "engine">;

/**
 * Copies the valid frames of a recording, of unknown kinds too, and nothing else: no damaged frame, no foreign bytes. Its
 * rows are those of the input. With `serial` the headers bear that serial number, and a plain u-blox log gets one.
 *
 * @throws AsiError as `decode`
 */
export function repair(source: Source, options: RepairOptions = {}): Repair {
  requireObject("options", options);
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
