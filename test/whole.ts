import { AsiError, convert, type DecodeOptions, type Row, type SampleBatch } from "../src/index.js";
import type { SampleColumns } from "./drive.js";
import { joined } from "./frames.js";

/** Concatenates all chunks of a stream. */
export async function wholeBytes(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return joined(pieces);
}

/** The text of all chunks of a stream. */
export async function wholeText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return new TextDecoder().decode(await wholeBytes(stream));
}

/** All values of an iteration. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

/** The error of a rejected promise. Fails if it is fulfilled, or rejected with another error. */
export async function asiError(promise: Promise<unknown>): Promise<AsiError> {
  const reason = await rejection(promise);
  if (reason instanceof AsiError) return reason;
  throw new Error(`rejected with ${String(reason)} instead of an AsiError`, { cause: reason });
}

/** The error of a failed conversion. */
export function conversionError(bytes: Uint8Array, options: DecodeOptions = {}): Promise<AsiError> {
  return asiError(wholeBytes(convert(bytes, options).body));
}

/** The reason for the rejection of a promise. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("fulfilled, not rejected");
}

/** The error of a function. */
export function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** The concatenated columns of all batches. */
export function wholeColumns(batches: readonly SampleBatch[]): SampleColumns {
  const column = (name: keyof SampleColumns) => batches.flatMap((batch) => [...batch[name]]);
  return {
    timestampMs: column("timestampMs"),
    latitudeE7: column("latitudeE7"),
    longitudeE7: column("longitudeE7"),
    altitudeMm: column("altitudeMm"),
    speedMmPerS: column("speedMmPerS"),
    hr: column("hr"),
    fixType: column("fixType"),
  };
}

/** The fields of each line of a standard CSV, without its header line. */
export function csvFields(csv: string): string[][] {
  return csv
    .split("\n")
    .slice(1, -1)
    .map((line) => line.split(","));
}

/** The rows of a standard CSV; each number is the double nearest to its digits. */
export function csvRows(csv: string): Row[] {
  return csvFields(csv).map(([timestamp = "", latitude, longitude, altitude, speed, hr]) => ({
    timestamp: Number(timestamp.replace(".", "")),
    latitude: Number(latitude),
    longitude: Number(longitude),
    altitude: altitude === "" ? null : Number(altitude),
    speed: Number(speed),
    hr: hr === "" ? null : Number(hr),
  }));
}
