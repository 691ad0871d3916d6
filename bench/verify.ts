import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { SampleBatch } from "../src/types.js";
import { expectedCsv, expectedRows } from "./expected.js";
import type { FitPeer } from "./peers/fit.js";
import type { Sink } from "./peers/peer.js";

/** A peer has a wrong result, so it must not be timed. */
class WrongResult extends Error {
  constructor(name: string, what: string) {
    super(`${name}: ${what}`);
  }
}

/**
 * Returns the SHA-256 of the expected CSV for the first `rows` rows of the session.
 * @param layoutOf changes the fields of a line into a line of another layout
 */
export function expectedDigest(rows: number, layoutOf?: (fields: string[]) => string): string {
  const csv = expectedCsv(rows);
  const lines = layoutOf && csv.split("\n").map((line) => layoutOf(line.split(",")));
  return createHash("sha256")
    .update(lines?.join("\n") ?? csv)
    .digest("hex");
}

/** Returns the SHA-256 of the output of `write`. */
export async function digestOf(write: (sink: Sink) => void | Promise<void>): Promise<string> {
  const hash = createHash("sha256");
  await write((piece) => hash.update(piece));
  return hash.digest("hex");
}

/** Returns the SHA-256 of a file. */
export function digestOfFile(path: string): Promise<string> {
  return digestOf(async (sink) => {
    for await (const piece of createReadStream(path)) sink(piece);
  });
}

/** @throws Error if a CSV differs from the expected one */
export function assertDigest(name: string, digest: string, expected: string): void {
  if (digest !== expected) throw new WrongResult(name, "its CSV differs from that of the session");
}

/**
 * Creates a checker that compares each value in batches of columns with the generated row.
 * @throws Error at the first difference
 */
export function columnChecker(name: string, rows: number): { take(batch: SampleBatch): void; end(): void } {
  const expected = expectedRows(rows);
  return {
    take(batch) {
      for (let i = 0; i < batch.length; i++) {
        const row = expected.next().value;
        const agrees =
          row !== undefined &&
          batch.timestampMs[i] === row.timestampMs &&
          batch.latitudeE7[i] === row.latitudeE7 &&
          batch.longitudeE7[i] === row.longitudeE7 &&
          batch.altitudeMm[i] === row.altitudeMm &&
          batch.speedMmPerS[i] === row.speedMmPerS &&
          batch.hr[i] === (row.hr ?? 0);
        if (!agrees) throw new WrongResult(name, "its columns differ from those of the session");
      }
    },
    end() {
      if (expected.next().done !== true) throw new WrongResult(name, "rows of the session are missing");
    },
  };
}

/**
 * Compares the records of a FIT decoder with the session, within the resolution of FIT.
 * @throws Error if they differ
 */
export async function verifyFit(
  name: string,
  peer: FitPeer,
  file: Uint8Array<ArrayBuffer>,
  rows: number,
): Promise<void> {
  const records = await peer(file);
  if (records.length !== rows) throw new WrongResult(name, `${records.length} records of ${rows}`);
  let index = 0;
  for (const row of expectedRows(rows)) {
    const record = records.record(index++);
    const agrees =
      // resolutions: whole seconds, semicircles of 0.84e-7 degrees, fifths of a metre, mm/s
      Math.abs(record.timestampMs - row.timestampMs) <= 1000 &&
      Math.abs(record.latitude - row.latitudeE7 / 1e7) < 1e-7 &&
      Math.abs(record.longitude - row.longitudeE7 / 1e7) < 1e-7 &&
      Math.abs(record.altitude - row.altitudeMm / 1000) <= 0.11 &&
      Math.abs(record.speed - row.speedMmPerS / 1000) < 0.0006 &&
      record.hr === row.hr;
    if (!agrees) throw new WrongResult(name, `record ${index} differs from that of the session`);
  }
}

interface TimePositionVelocity {
  class: string;
  time: string;
  lat: number;
  lon: number;
  altMSL: number;
  speed: number;
}

/**
 * Compares gpsd's TPV objects with the session.
 * @throws Error if they differ
 */
export function verifyGpsdecode(lines: readonly string[], rows: number): void {
  const fixes = lines
    .map((line) => JSON.parse(line) as TimePositionVelocity)
    .filter((object) => object.class === "TPV");
  if (fixes.length !== rows) throw new WrongResult("gpsdecode", `${fixes.length} fixes of ${rows}`);
  let index = 0;
  for (const row of expectedRows(rows)) {
    const fix = fixes[index++];
    const agrees =
      fix !== undefined &&
      Math.abs(Date.parse(fix.time) - row.timestampMs) <= 1 &&
      Math.round(fix.lat * 1e7) === row.latitudeE7 &&
      Math.round(fix.lon * 1e7) === row.longitudeE7 &&
      Math.round(fix.altMSL * 1000) === row.altitudeMm &&
      Math.round(fix.speed * 1000) === row.speedMmPerS;
    if (!agrees) throw new WrongResult("gpsdecode", `fix ${index} differs from that of the session`);
  }
}
