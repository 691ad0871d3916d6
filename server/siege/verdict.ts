import { quantile } from "../bench/measure.js";
import type { ProbeFigures } from "./besieged-service.js";
import type { Experience } from "./bystander.js";

/** What an attack did to the others. */
export interface Outcome {
  attack: string;
  as: string;
  /** What the attacker was answered. */
  answers: string;
  requests: number;
  errors: string[];
  p50Ms: number;
  p99Ms: number;
  worstMs: number;
  /** The slowest call of the bystander's webhook; null when none was due. */
  webhookMs: number | null;
  longestDelayMs: number;
  peakMemoryMb: number;
}

/** What the service promises to its users while it is attacked, on a machine of two cores. */
export const TARGETS = { p99Ms: 250, errors: 0, longestDelayMs: 100, peakMemoryMb: 700 } as const;

export function outcomeOf(
  { name, as }: { name: string; as: string },
  answers: string,
  { latenciesMs, errors, webhookDelaysMs }: Experience,
  { longestDelayMs, peakMemoryMb }: ProbeFigures,
): Outcome {
  return {
    attack: name,
    as,
    answers,
    requests: latenciesMs.length,
    errors,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    worstMs: Math.max(...latenciesMs),
    webhookMs: webhookDelaysMs.length === 0 ? null : Math.max(...webhookDelaysMs),
    longestDelayMs,
    peakMemoryMb,
  };
}

/** @returns what was promised and not kept; empty when all was */
export function broken(outcome: Outcome): string[] {
  return [
    ...(outcome.requests > 0 ? [] : ["no request of the bystander was answered"]),
    ...(outcome.errors.length <= TARGETS.errors
      ? []
      : [`${outcome.errors.length} errors, such as ${outcome.errors[0]}`]),
    ...(outcome.p99Ms <= TARGETS.p99Ms ? [] : [`p99 ${Math.round(outcome.p99Ms)} ms`]),
    ...(outcome.longestDelayMs <= TARGETS.longestDelayMs
      ? []
      : [`event loop held ${Math.round(outcome.longestDelayMs)} ms`]),
    ...(outcome.peakMemoryMb <= TARGETS.peakMemoryMb ? [] : [`${Math.round(outcome.peakMemoryMb)} MB`]),
  ];
}
