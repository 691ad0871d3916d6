/** Generates random steps for the histories of the samples of a device. */
import fc from "fast-check";
import { AHEAD_MS } from "./sample-model.js";

export type Step =
  | { do: "take" | "release" | "hand over" | "delete"; by: number }
  | { do: "load"; by: number; offsets: number[] }
  | { do: "frame"; by: number; athlete: number; offset: number; lengthMs: number }
  | { do: "move"; which: number; athlete: number; offset: number; lengthMs: number }
  | { do: "permit" | "refuse"; by: number; athlete: number }
  | { do: "erase"; athlete: number }
  | { do: "backdate" | "wait"; ms: number }
  | { do: "delete samples"; offset: number; lengthMs: number }
  | { do: "retention" | "back up" };

const by = fc.nat(2);
const athlete = fc.nat(1);
const offset = fc.integer({ min: -24, max: 24 }).map((n) => n * 15_000);
const offsets = fc.array(fc.oneof(offset, fc.constantFrom(-1, 0, 1, AHEAD_MS, AHEAD_MS + 1)), {
  minLength: 1,
  maxLength: 8,
});
const lengthMs = fc.integer({ min: 1, max: 20 }).map((n) => n * 15_000);
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
/** Generates a step of a history. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(2, fc.record({ do: fc.constantFrom("take", "release"), by })),
  weighted(4, fc.record({ do: fc.constant("hand over"), by })),
  weighted(6, fc.record({ do: fc.constant("load"), by, offsets })),
  weighted(6, fc.record({ do: fc.constant("frame"), by, athlete, offset, lengthMs })),
  weighted(3, fc.record({ do: fc.constant("move"), which: fc.nat(5), athlete, offset, lengthMs })),
  weighted(2, fc.record({ do: fc.constantFrom("permit", "refuse"), by, athlete })),
  weighted(3, fc.record({ do: fc.constant("backdate"), ms: fc.constantFrom(1, 15_000, 60_000, 600_000) })),
  weighted(3, fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(1, 15_000, 60_000, 180_000) })),
  weighted(1, fc.record({ do: fc.constant("delete"), by })),
  weighted(2, fc.record({ do: fc.constant("erase"), athlete })),
  weighted(1, fc.record({ do: fc.constant("delete samples"), offset, lengthMs })),
  weighted(1, fc.record({ do: fc.constant("retention") })),
  weighted(1, fc.record({ do: fc.constant("back up") })),
);
