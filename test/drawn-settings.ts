import type { EngineSettings, OutputKind } from "../src/engine/engine.js";
import type { Outcome } from "./drive.js";
import { seededRandom } from "./mutations.js";

export const outputKinds: readonly OutputKind[] = ["csv", "columns", "frames", "beats", "none"];

/** Settings of every kind in rotation; time limits are drawn near `aboutMs`. */
export function drawnSettings(seed: number, aboutMs: number): Partial<EngineSettings> {
  const random = seededRandom(seed ^ 0x5e77);
  const settings: Partial<EngineSettings> = { output: outputKinds[seed % outputKinds.length] ?? "csv" };
  if (random(3) === 0) settings.needsHeader = true;
  if (random(6) === 0) settings.strict = true;
  if (random(4) === 0) settings.fromMs = aboutMs + random(6000) - 1000;
  if (random(4) === 0) settings.toMs = aboutMs + random(8000);
  if (random(3) === 0) {
    settings.fillHrMs = [1, 999, 1000, 1001, 5000, 3_600_000, Number.POSITIVE_INFINITY][random(7)] ?? 0;
  }
  if (random(4) === 0) settings.serial = random(2) === 0 ? "GIVEN-1" : "GIVEN-OF-16-CHAR";
  if (random(3) > 0) settings.hr = (["auto", "device", "ecg"] as const)[random(3)] ?? "auto";
  if (random(3) === 0) settings.analysesEcg = true;
  if (random(2) === 0) settings.quality = true;
  return settings;
}

// JSON does not support infinity.
export function settingsText(settings: Partial<EngineSettings>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

/** One engine may report damage a chunk earlier than another one; the number of bytes written until then is irrelevant. */
export function withoutLead(outcome: Outcome): Outcome {
  if (outcome.stop !== null) outcome.report.bytes.total = Number.NaN;
  return outcome;
}
