import { makeRecording } from "./data.js";
import { HOSTILE_INPUTS, type HostileInput, makeHostile } from "./hostile.js";
import type { HostileId } from "./labels.js";
import { loadLibrary } from "./library.js";
import { type Case, timed } from "./measure.js";

/** A hostile input, or good frames, with what times its conversion and what watches the event loop meanwhile. */
export interface HostileCase extends Case {
  readonly id: HostileId;
  /** Longest time, s, in which the event loop had no turn while the input was converted. */
  longestHold(): Promise<number>;
}

/** Conversions of inputs of `size` bytes, each one `Uint8Array`. @throws Error when one does not end as it must. */
export async function hostileCases(size: number): Promise<HostileCase[]> {
  const { convert } = await loadLibrary();
  const run = async (bytes: Uint8Array) => {
    let length = 0;
    const { csv, report } = convert(bytes);
    for await (const piece of csv as AsyncIterable<Uint8Array>) length += piece.length;
    const { total } = (await report).bytes;
    if (total !== bytes.length || length === 0) throw new Error("the conversion did not reach the end");
  };
  const hostileCase = (id: HostileId, bytes: Uint8Array, rows = 1): HostileCase => ({
    ...timed(id, { bytes: bytes.length, rows }, () => run(bytes)),
    id,
    longestHold: () => longestHold(() => run(bytes)),
  });
  const good = makeRecording(size);
  const kinds = Object.keys(HOSTILE_INPUTS) as HostileInput[];
  return [
    hostileCase("goodFrames", good.bytes, good.rows),
    ...kinds.map((kind) => hostileCase(kind, makeHostile(kind, size))),
    hostileCase("falseSyncsTwice", makeHostile("falseSyncs", 2 * size)),
  ];
}

async function longestHold(work: () => Promise<void>): Promise<number> {
  let isOver = false;
  let longestMs = 0;
  let lastMs = performance.now();
  const turn = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  turn();
  return longestMs / 1000;
}
