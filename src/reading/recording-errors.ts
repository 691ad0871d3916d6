import type { StepResult } from "../engine/engine.js";
import { AsiError } from "../errors.js";
import type { Report } from "../types.js";

// Creates the errors for recordings; header.ts creates those for headers.

/** Returns the error for compressed input, which would otherwise be `NOT_A_RECORDING`. */
export function compressedInput(): AsiError {
  return new AsiError(
    "NOT_A_RECORDING",
    "The input is compressed with gzip; decompress it first, for example with a DecompressionStream. Files are decompressed by asi-convert/node.",
    { byteOffset: 0 },
  );
}

/** Returns the error for a result of a step at which reading stops. */
export function stopError(signal: Exclude<StepResult, { kind: "drained" | "header" }>): AsiError {
  const { byteOffset } = signal;
  if (signal.kind === "damaged") {
    const message = `${DAMAGE_TEXT[signal.damage]} Omit the option strict to read around it.`;
    return new AsiError("DAMAGED", message, { byteOffset });
  }
  return new AsiError(
    "NOT_A_RECORDING",
    "The first frame of the input is not a recording header. If it is a plain u-blox log, give its serial number (option serial).",
    { byteOffset },
  );
}

const DAMAGE_TEXT: Record<keyof Report["damage"], string> = {
  badChecksums: "The checksum of the frame at this position is wrong.",
  overlong: "The frame at this position is longer than a frame can be.",
  overruns: "The frame at this position extends beyond the end of the input.",
};

/** Returns the error for a header whose serial number differs from that of the first header. */
export function mixedDevices(first: string, other: string, byteOffset: number): AsiError {
  return new AsiError(
    "MIXED_DEVICES",
    `The recording of ${first} continues with a recording of ${other}; separate the two, or specify one serial number for both (option serial).`,
    { byteOffset },
  );
}

/** Returns the error for an input without a valid frame; null if there is one. */
export function noFrames(report: Report): AsiError | null {
  const { header, gnss, ecgHr, ecgRaw, unknown } = report.frames;
  if (header + gnss + ecgHr + ecgRaw + unknown > 0) return null;
  return new AsiError(
    "NOT_A_RECORDING",
    report.bytes.total === 0
      ? "The input is empty."
      : "There is no valid frame in the input; it is not an .asi recording, or it is damaged beyond recovery.",
    { byteOffset: 0, report },
  );
}

/** Returns the error for a recording without rows. */
export function noSamples(report: Report): AsiError {
  const { start, end } = report;
  return new AsiError(
    "NO_SAMPLES",
    start === null || end === null
      ? "The recording has no rows: none of its GNSS frames has a valid date, time and position."
      : `The recording runs from ${new Date(start).toISOString()} to ${new Date(end).toISOString()}; no row is within from and to.`,
    { report },
  );
}
