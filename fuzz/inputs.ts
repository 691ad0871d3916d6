import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { EngineSettings } from "../src/engine/engine.js";
import { arbitraryRecording } from "../test/arbitrary-recording.js";
import { drawnSettings } from "../test/drawn-settings.js";
import { cut, mutateFields } from "../test/field-mutations.js";
import { fixtures } from "../test/fixture-files.js";
import { mutate, type Random, randomChunks, seededRandom } from "../test/mutations.js";

/** A recording from which inputs are made, divided into frames. */
export interface Base {
  name: string;
  pieces: readonly Uint8Array[];
}

/** One input. If the bases are the same, the same seed and number result in the same input. */
export interface Input {
  /** The name of its base, for messages. */
  base: string;
  bytes: Uint8Array;
  chunks: Uint8Array[];
  settings: Partial<EngineSettings>;
  /** Random numbers for further choices. */
  random: Random;
}

const MOST_PIECES = 32;
const GENERATED = 400;
/** Path of logs from real receivers, which are not part of the repository. */
const CORPUS = fileURLToPath(new URL("../../shared/corpus/recordings/", import.meta.url));

/** Loads the bases: real recordings if there are any, the fixtures, and recordings generated from `seed`. */
export function makeBases(seed: number): { real: Base[]; fixed: Base[]; generated: Base[] } {
  const realFiles = existsSync(CORPUS) ? readdirSync(CORPUS).filter((file) => file.endsWith(".asi")) : [];
  const generated = fc.sample(arbitraryRecording, { seed, numRuns: GENERATED });
  return {
    real: realFiles.map((file) => baseOf(file, new Uint8Array(readFileSync(CORPUS + file)))),
    fixed: fixtures.map(({ name, bytes }) => baseOf(name, bytes)),
    generated: generated.map((bytes, i) => baseOf(`generated ${i}`, bytes)),
  };
}

function baseOf(name: string, bytes: Uint8Array): Base {
  return { name, pieces: cut(bytes) };
}

/** Creates input `number` of a run: a few frames of a base with changed fields, in some cases also damaged. */
export function drawInput(
  { real, fixed, generated }: ReturnType<typeof makeBases>,
  seed: number,
  number: number,
): Input {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const kinds = [real, fixed, generated].filter((bases) => bases.length > 0);
  const kind = kinds[random(kinds.length)] ?? [];
  const base = kind[random(kind.length)] ?? { name: "nothing", pieces: [] };
  const pieces = window(base.pieces, random);
  let bytes = mutateFields(pieces, random);
  if (random(4) === 0) bytes = mutate(bytes, number);
  const chunks = random(3) === 0 ? randomChunks(bytes, random) : [bytes];
  const settings = drawnSettings(random(2 ** 31), timeNear(pieces));
  return { base: base.name, bytes, chunks, settings, random };
}

/**
 * Returns the first piece, usually a header, and several pieces from a random place. Small inputs then cover all places of large
 * recordings.
 */
function window(pieces: readonly Uint8Array[], random: Random): Uint8Array[] {
  const [first] = pieces;
  if (first === undefined) return [];
  const from = 1 + random(pieces.length);
  const some = pieces.slice(from, from + 1 + random(MOST_PIECES));
  return random(5) === 0 ? some : [first, ...some];
}

/** Returns the time of a GNSS frame, ms since 1970, from which time limits near the rows are made. */
function timeNear(pieces: readonly Uint8Array[]): number {
  const frame = pieces.find((piece) => piece[2] === 0x01 && piece[3] === 0x07 && piece.length >= 92);
  if (frame === undefined) return 1_700_000_000_000;
  const at = (offset: number) => frame[6 + offset] ?? 0;
  const ms = Date.UTC(at(4) | (at(5) << 8), at(6) - 1, at(7), at(8), at(9), at(10));
  return Number.isFinite(ms) ? ms : 0;
}
