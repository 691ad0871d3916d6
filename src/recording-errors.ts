import type { Signal } from "./engine.js";
import { AsiError } from "./errors.js";
import type { Report } from "./types.js";

// What is wrong with a recording, as an error for the caller. Headers have theirs in header.ts.

/** Where an engine stopped for something else than a header. */
export function stopError(signal: Exclude<Signal, { kind: "drained" | "header" }>): AsiError {
  const { byteOffset } = signal;
  if (signal.kind === "damaged") {
    const message = `${DAMAGE_TEXT[signal.damage]} Leave the option strict out to read around it.`;
    return new AsiError("DAMAGED", message, { byteOffset });
  }
  return new AsiError(
    "NOT_A_RECORDING",
    "The input begins with another frame than a recording header. If it is a plain u-blox log, give its serial number (option serial).",
    { byteOffset },
  );
}

const DAMAGE_TEXT: Record<keyof Report["damage"], string> = {
  badChecksums: "The checksum of the frame at this place is wrong.",
  overlong: "The frame at this place claims more bytes than a frame can have.",
  overruns: "The frame at this place runs past the end of the input.",
};

/** A header that names another serial number than the first. */
export function mixedDevices(first: string, other: string, byteOffset: number): AsiError {
  return new AsiError(
    "MIXED_DEVICES",
    `The recording of ${first} goes on with one of ${other}; separate the two, or give one serial number for both (option serial).`,
    { byteOffset },
  );
}

/** An input in which no frame is valid; null when one is. */
export function noFrames(report: Report): AsiError | null {
  const { header, gnss, ecgHr, ecgRaw, unknown } = report.frames;
  if (header + gnss + ecgHr + ecgRaw + unknown > 0) return null;
  return new AsiError(
    "NOT_A_RECORDING",
    report.bytes.total === 0
      ? "The input is empty."
      : "There is no valid frame in the input; it is no .asi recording, or damaged beyond reading.",
    { byteOffset: 0, report },
  );
}

/** A recording that leaves a CSV without a row. */
export function noSamples(report: Report): AsiError {
  return new AsiError(
    "NO_SAMPLES",
    report.rows.total === 0
      ? "The recording has no row: no GNSS frame in it has a valid date, time and position."
      : "The recording has no row between from and to.",
    { report },
  );
}
