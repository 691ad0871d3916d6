import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../src/engine/engine.js";
import { createEngine } from "../src/engine/engines.js";
import type { DecodeOptions, EngineName, Report } from "../src/types.js";
import { withoutLead } from "../test/drawn-settings.js";
import { drive, type Outcome } from "../test/drive.js";
import { ENGINES } from "../test/every-engine.js";
import { libraryOutcome } from "../test/library-outcome.js";
import { Oracle } from "../test/oracle/index.js";
import type { Input } from "./inputs.js";

/** An engine differs from the oracle or, through the library, from the plain engine. */
export interface Difference {
  engine: EngineName;
  /** The parts in which the outcomes differ, with short values. */
  parts: string[];
}

/** Runs engines that are reused for one input after another, as in the library. The state after one input must not affect the next. */
export class Comparison {
  readonly #oracle: Engine = new Oracle();
  readonly #engines: readonly Engine[] = ENGINES.map(createEngine);

  /** Runs all engines on an input. */
  compare({ chunks, settings }: Input): { report: Report; difference: Difference | null } {
    const expected = withoutLead(drive(this.#oracle, chunks, settings));
    const { report } = expected;
    for (const engine of this.#engines) {
      const actual = withoutLead(drive(engine, chunks, settings));
      if (!isDeepStrictEqual(actual, expected)) {
        return { report, difference: { engine: engine.name, parts: differingParts(actual, expected) } };
      }
    }
    return { report, difference: null };
  }
}

/** Compares the results of `convert` and `repair`, which take engines from the library's pool. */
export async function compareLibrary({ bytes, settings, random }: Input): Promise<Difference | null> {
  const options: DecodeOptions = {};
  const { serial, strict, fromMs, toMs, fillHrMs, hr } = settings;
  if (serial) options.serial = serial;
  if (strict === true) options.strict = true;
  if (fromMs !== undefined) options.from = fromMs + random(10) / 10;
  if (toMs !== undefined && toMs >= (fromMs ?? toMs)) options.to = toMs;
  if (hr !== undefined) options.hr = hr;
  if (fillHrMs !== undefined && Number.isFinite(fillHrMs)) options.fillHrMs = fillHrMs;
  if (options.to !== undefined && options.from !== undefined && options.to < options.from) delete options.to;
  const expected = await libraryOutcome(bytes, { ...options, engine: "plain" });
  for (const engine of ENGINES) {
    const actual = await libraryOutcome(bytes, { ...options, engine });
    if (!isDeepStrictEqual(actual, expected)) return { engine, parts: differingParts(actual, expected) };
  }
  return null;
}

function differingParts(actual: unknown, expected: unknown): string[] {
  const [a, e] = [actual, expected] as [Record<string, unknown>, Record<string, unknown>];
  return Object.keys(e satisfies object as Outcome | Record<string, unknown>)
    .filter((part) => !isDeepStrictEqual(a[part], e[part]))
    .map((part) => `${part}: ${text(a[part])} instead of ${text(e[part])}`);
}

function text(value: unknown): string {
  const json = JSON.stringify(value, (_, inner) =>
    inner instanceof Uint8Array ? `${inner.length} bytes` : inner,
  );
  return json === undefined || json.length <= 400 ? `${json}` : `${json.slice(0, 400)}...`;
}
