import { makeRecording } from "./data.js";
import { HOSTILE_INPUTS, type HostileInput, makeHostile } from "./hostile.js";
import { type HostileCaseId, type HostileId, type HostileVerb, hostileCaseId } from "./labels.js";
import { loadLibrary } from "./library.js";
import { type Case, timed } from "./measure.js";

/** A hostile or valid input, with functions that measure the time of reading it and the blocking of the event loop. */
export interface HostileCase extends Case {
  readonly id: HostileCaseId;
  /** Returns the longest event-loop block during the reading, s. */
  longestHold(): Promise<number>;
}

/**
 * Creates the cases that read inputs of `size` bytes from one `Uint8Array` each.
 * @throws Error when a case ends with an unexpected result
 */
export async function hostileCases(size: number): Promise<HostileCase[]> {
  const { convert, inspect } = await loadLibrary();
  const runs: Record<HostileVerb, (bytes: Uint8Array) => Promise<void>> = {
    async convert(bytes) {
      let length = 0;
      const { body: csv, report } = convert(bytes);
      for await (const piece of csv as AsyncIterable<Uint8Array>) length += piece.length;
      const { total } = (await report).bytes;
      if (total !== bytes.length || length === 0) throw new Error("the conversion did not reach the end");
    },
    async inspect(bytes) {
      const { report } = await inspect(bytes);
      if (report.bytes.total !== bytes.length) throw new Error("the inspection did not reach the end");
    },
  };
  const hostileCase = (input: HostileId, bytes: Uint8Array, rows = 1): HostileCase[] =>
    (Object.keys(runs) as HostileVerb[]).map((verb) => {
      const id = hostileCaseId(verb, input);
      const run = () => runs[verb](bytes);
      return { ...timed(id, { bytes: bytes.length, rows }, run), id, longestHold: () => longestHold(run) };
    });
  const good = makeRecording(size);
  const kinds = Object.keys(HOSTILE_INPUTS) as HostileInput[];
  return [
    ...hostileCase("goodFrames", good.bytes, good.rows),
    ...kinds.flatMap((kind) => hostileCase(kind, makeHostile(kind, size))),
    ...hostileCase("falseSyncsTwice", makeHostile("falseSyncs", 2 * size)),
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
