import { shown } from "./arguments.js";
import { AsiError } from "./errors.js";
import type { SampleBatch } from "./types.js";

const COLUMN_TYPES = {
  timestampMs: "Float64Array",
  latitudeE7: "Int32Array",
  longitudeE7: "Int32Array",
  altitudeMm: "Int32Array",
  speedMmPerS: "Int32Array",
  hr: "Uint8Array",
  fixType: "Uint8Array",
} as const satisfies Record<Exclude<keyof SampleBatch, "length">, string>;

/** Throws `BAD_ARGUMENT` unless every column is of its type and holds at least `length` entries. */
export function checkBatch(batch: SampleBatch): void {
  if (typeof batch !== "object" || batch === null) {
    throw bad(`The samples are ${shown(batch)}; hand in columns such as decode gives.`);
  }
  const { length } = batch;
  if (!Number.isSafeInteger(length) || length < 0) {
    throw bad(`length is ${shown(length)}; it must be the number of samples.`);
  }
  for (const [name, type] of Object.entries(COLUMN_TYPES)) {
    const column: unknown = batch[name as keyof typeof COLUMN_TYPES];
    // by its name: one of another realm is no instance of this one's class
    if (Object.prototype.toString.call(column) !== `[object ${type}]` || !ArrayBuffer.isView(column)) {
      throw bad(`${name} is ${shown(column)}; it must be a ${type}.`);
    }
    const entries = (column as unknown as Uint8Array).length;
    if (entries < length) throw bad(`${name} has ${entries} entries, and length says ${length}.`);
  }
}

function bad(message: string): AsiError {
  return new AsiError("BAD_ARGUMENT", message);
}
