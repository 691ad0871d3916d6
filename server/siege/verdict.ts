import type { ProbeFigures } from "../bench/built-service.js";
import { quantile } from "../bench/measure.js";
import type { Experience } from "./bystander.js";

/** The effects of an attack on others. */
export interface Outcome {
  attack: string;
  as: string;
  /** Responses to the attacker. */
  answers: string;
  requests: number;
  errors: string[];
  /** Number of requests of the bystander that were sent again on another connection. */
  resent: number;
  p50Ms: number;
  p90Ms: number;
  p99Ms: number;
  worstMs: number;
  /** Slowest request of the bystander. */
  slowest: string;
  /** Slowest webhook call of the bystander; null if none was due. */
  webhookMs: number | null;
  longestDelayMs: number;
  peakMemoryMb: number;
}

/** Limits on the effects of an attack on others. */
export interface Targets {
  errors: number;
  /** Percentile of the bystander's response times that the verdict uses. */
  latency: { of: "p90Ms" | "p99Ms"; atMostMs: number };
  longestDelayMs: number;
  peakMemoryMb: number;
  /**
   * An attack is repeated up to this many times if only durations miss their targets. The last
   * outcome counts.
   */
  attempts: number;
}

/** Targets of the service during attacks, on a machine with two cores. */
export const TARGETS: Targets = {
  errors: 0,
  latency: { of: "p99Ms", atMostMs: 250 },
  longestDelayMs: 100,
  peakMemoryMb: 700,
  attempts: 1,
};

/**
 * Targets of the short form. It runs on machines with other work, so it allows ten times the duration (the defects that
 * it detects took 1.4 s to minutes), and memory for the work that then waits. It sends about 60 requests per attack.
 * Their p99 is the slowest request, which depends more on the machine than on the service, so the p90 is judged. One
 * request in nine reads computed data, so the p90 still shows work that starves the computations. A defect of the
 * service shows in all three attempts; other programs that use the processor do not.
 */
export const BUSY_TARGETS: Targets = {
  errors: TARGETS.errors,
  latency: { of: "p90Ms", atMostMs: 10 * TARGETS.latency.atMostMs },
  longestDelayMs: 10 * TARGETS.longestDelayMs,
  peakMemoryMb: 900,
  attempts: 3,
};

/**
 * The service rarely closes a connection at the moment of its next use. A higher number means that it has closed
 * connections in use.
 */
const MOST_RESENT = 2;

/** Returns the name of the percentile that the verdict uses, such as "p90". */
export const nameOf = ({ latency }: Targets): string => latency.of.replace("Ms", "");

export function outcomeOf(
  { name, as }: { name: string; as: string },
  answers: string,
  { latenciesMs, slowest, errors, webhookDelaysMs, resent }: Experience,
  { longestDelayMs, peakMemoryMb }: Pick<ProbeFigures, "longestDelayMs" | "peakMemoryMb">,
): Outcome {
  return {
    attack: name,
    as,
    answers,
    requests: latenciesMs.length,
    errors,
    resent,
    p50Ms: quantile(latenciesMs, 0.5),
    p90Ms: quantile(latenciesMs, 0.9),
    p99Ms: quantile(latenciesMs, 0.99),
    worstMs: Math.max(...latenciesMs),
    slowest: slowest?.request ?? "",
    webhookMs: webhookDelaysMs.length === 0 ? null : Math.max(...webhookDelaysMs),
    longestDelayMs,
    peakMemoryMb,
  };
}

/** @returns the missed targets; empty if there are none */
export function broken(outcome: Outcome, targets: Targets): string[] {
  return [...faults(outcome, targets), ...missedDurations(outcome, targets)];
}

/** Whether an outcome misses its targets only by durations, which depend on other work of the machine. */
export const isOnlySlow = (outcome: Outcome, targets: Targets): boolean =>
  faults(outcome, targets).length === 0 && missedDurations(outcome, targets).length > 0;

function faults(outcome: Outcome, targets: Targets): string[] {
  return [
    ...(outcome.requests > 0 ? [] : ["no request of the bystander was answered"]),
    ...(outcome.errors.length <= targets.errors
      ? []
      : [`${outcome.errors.length} errors, such as ${outcome.errors[0]}`]),
    ...(outcome.resent <= MOST_RESENT ? [] : [`${outcome.resent} connections closed before the response`]),
    ...(outcome.peakMemoryMb <= targets.peakMemoryMb ? [] : [`${Math.round(outcome.peakMemoryMb)} MB`]),
  ];
}

function missedDurations(outcome: Outcome, targets: Targets): string[] {
  return [
    ...(outcome[targets.latency.of] <= targets.latency.atMostMs
      ? []
      : [`${nameOf(targets)} ${Math.round(outcome[targets.latency.of])} ms`]),
    ...(outcome.longestDelayMs <= targets.longestDelayMs
      ? []
      : [`event loop held ${Math.round(outcome.longestDelayMs)} ms`]),
  ];
}
