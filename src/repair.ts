import { requireObject } from "./arguments.js";
import { concatenate } from "./concatenate.js";
import type { Decoder } from "./decoder.js";
import { headerlessInfo, renameHeader, writeHeader } from "./header.js";
import { Production } from "./production.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { pulledStream, readingBehind } from "./pulled-stream.js";
import type { DecodeOptions, RecordingInfo, Report, Source } from "./types.js";
import { frame } from "./ubx.js";

/**
 * A clean recording on its way. The promises are fulfilled when the stream has been read to its end. Awaited while nobody reads
 * it they are rejected with `NOT_READ`, as those of a {@link Conversion} are.
 */
export interface Repair {
  readonly recording: ReadableStream<Uint8Array>;
  /** The account of the damaged input. */
  readonly report: Promise<Report>;
  readonly info: Promise<RecordingInfo>;
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
  const { serial } = options;
  // what a plain log gets
  const newHeader = serial === undefined ? null : frame("header", writeHeader(headerlessInfo(serial)));
  let hasHeader = false;
  const take = (decoder: Decoder): Uint8Array | null => {
    const frames = decoder.engine.frames();
    const parts: Uint8Array[] = [];
    if (!hasHeader && frames.length > 0 && newHeader !== null) {
      // a plain log: its first frames come before any header
      parts.push(newHeader);
      hasHeader = true;
    }
    if (frames.length > 0) parts.push(frames);
    if (decoder.header !== null) {
      parts.push(
        frame("header", serial === undefined ? decoder.header : renameHeader(decoder.header, serial)),
      );
      hasHeader = true;
    }
    return parts.length === 0 ? null : concatenate(parts);
  };
  const production = new Production(source, "frames", { ...options, strict: false }, take);
  const recording = pulledStream(
    () => production.next(),
    (reason) => production.cancel(reason),
  );
  const promised = promisesOfReading(
    readingBehind(recording, production),
    "Read recording to its end first, then await it.",
  );
  return {
    recording,
    report: promised("report", production.report),
    info: promised("info", production.info),
  };
}
