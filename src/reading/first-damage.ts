import type { EngineSettings } from "../engine/engine.js";
import { EngineDriver } from "../engine/engine-driver.js";
import { acquireEngine, prepareEngine, releaseEngine } from "../engine/engines.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { readChunks } from "../sources/source.js";
import type { Report, Source } from "../types.js";

/** The first damage in a recording. */
export interface DamagePlace {
  /** Offset of the damaged frame. */
  byteOffset: number;
  kind: keyof Report["damage"];
  /** The last row before it, ms since 1970 UTC; null if there is none. */
  afterMs: number | null;
}

/** A source that is searched for damage while it is read. */
export interface WatchedSource {
  chunks: AsyncIterable<Uint8Array>;
  /** The first damage in the bytes read so far; null if there is none. */
  firstDamage(): DamagePlace | null;
}

/** Passes the chunks of a source on and searches them for the first damage, so that the source need not be read twice. */
export function watchForDamage(source: Source): WatchedSource {
  let place: DamagePlace | null = null;
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = readChunks(source);
    await prepareEngine(undefined);
    const driver = new EngineDriver(acquireEngine(undefined), SETTINGS);
    try {
      for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) {
        if (place === null) place = await search(driver, chunk);
        yield chunk;
      }
      if (place === null) place = await search(driver, null);
    } finally {
      releaseEngine(driver.engine);
      await reader.close();
    }
  }
  return { chunks: watched(), firstDamage: () => place };
}

const SETTINGS: EngineSettings = {
  output: "none",
  serial: null,
  needsHeader: false,
  strict: true,
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  fillHrMs: 0,
  hr: "device",
  quality: false,
  analysesEcg: false,
};

// `chunk`: null at the end
async function search(driver: EngineDriver, chunk: Uint8Array | null): Promise<DamagePlace | null> {
  driver.give(chunk);
  while (!driver.needsInput && !driver.isDone) {
    if (isTurnDue()) await takeTurn();
    const signal = driver.step();
    if (signal.kind === "damaged") {
      const afterMs = driver.engine.report().ranges.at(-1)?.stop ?? null;
      return { byteOffset: signal.byteOffset, kind: signal.damage, afterMs };
    }
  }
  return null;
}
