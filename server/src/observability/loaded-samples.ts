import { Counter, type Registry } from "prom-client";

/** Outcome of a loaded sample: new, stored before, or refused. */
export type LoadedOutcome = "stored" | "known" | "refused";
export type LoadedSamples = Readonly<Record<LoadedOutcome, number>>;

const NAME = "asi_samples_loaded_total";
const OUTCOMES: readonly LoadedOutcome[] = ["stored", "known", "refused"];

/** Returns the function that counts loaded samples. Bulk loads and streams share the counter of the registry. */
export function measureLoaded(registry: Registry): (samples: LoadedSamples) => void {
  const known = registry.getSingleMetric(NAME) as Counter<"outcome"> | undefined;
  const loaded =
    known ??
    new Counter({
      name: NAME,
      help: "Samples of bulk loads and streams in this process: stored, already known, or refused (not owned, or ahead of the clock)",
      labelNames: ["outcome"],
      registers: [registry],
    });
  const count = (samples: LoadedSamples) => {
    for (const outcome of OUTCOMES) loaded.inc({ outcome }, samples[outcome]);
  };
  // Initialise the counters, because rates are otherwise wrong until the second increase.
  count({ stored: 0, known: 0, refused: 0 });
  return count;
}
