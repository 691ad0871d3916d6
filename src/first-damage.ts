import type { Engine } from "./engine.js";
import { acquireEngine, releaseEngine } from "./engines.js";
import { isTurnDue, takeTurn } from "./event-loop-turns.js";
import { readChunks } from "./source.js";
import type { Report, Source } from "./types.js";

/** Where a recording is damaged first. */
export interface DamagePlace {
  /** Offset of the frame that began and did not hold. */
  byteOffset: number;
  kind: keyof Report["damage"];
}

/** A source that is watched while somebody else reads it. */
export interface WatchedSource {
  chunks: AsyncIterable<Uint8Array>;
  /** The first damage in what has been read; null when there was none. */
  firstDamage(): DamagePlace | null;
}

/** Hands the chunks of a source on and looks for the first damage in them, so that it need not be read twice. */
export function watchForDamage(source: Source): WatchedSource {
  let place: DamagePlace | null = null;
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = readChunks(source);
    const engine = await acquireEngine(undefined);
    engine.reset({
      output: "none",
      serial: null,
      needsHeader: false,
      strict: true,
      fromMs: Number.NEGATIVE_INFINITY,
      toMs: Number.POSITIVE_INFINITY,
      fillHrMs: 0,
    });
    try {
      for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) {
        if (place === null) place = await search(engine, chunk);
        yield chunk;
      }
      if (place === null) place = await search(engine, null);
    } finally {
      releaseEngine(engine);
      await reader.close();
    }
  }
  return { chunks: watched(), firstDamage: () => place };
}

// null: the end
async function search(engine: Engine, chunk: Uint8Array | null): Promise<DamagePlace | null> {
  let offset = 0;
  let isStopped = false;
  for (;;) {
    if (isTurnDue()) await takeTurn();
    if (!isStopped && chunk !== null && offset < chunk.length) offset += engine.write(chunk, offset);
    const isLast = chunk === null || offset >= chunk.length;
    const signal = engine.step(chunk === null);
    if (signal.kind === "damaged") return { byteOffset: signal.byteOffset, kind: signal.damage };
    // a header: the step goes on behind it, with what it has
    isStopped = signal.kind !== "drained";
    if (!isStopped && isLast) return null;
  }
}
