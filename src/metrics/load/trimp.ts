import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { HEART_RATE_LIMITS, holdHeartRates, isValidHeartRate } from "../heart-rate.js";
import { checkOptions, type MetricsOptions } from "../options.js";
import { divideRoundingHalfUp, roundHalfUp } from "../rounding.js";
import { type MetricSamples, type OrderedSamples, orderSamples, selectSamples } from "../samples.js";

/**
 * A method that converts heart rates to one number: training impulses according to Banister, Edwards or Lucia. Heart rates are in
 * bpm.
 */
export type TrimpMethod =
  | {
      readonly method: "banister";
      readonly maxHr: number;
      readonly restHr: number;
      /** Weights exist only for these two. */
      readonly sex: "female" | "male";
    }
  | { readonly method: "edwards"; readonly maxHr: number }
  | {
      readonly method: "lucia";
      /** Heart rates at the first and second ventilatory thresholds. */
      readonly thresholds: readonly [number, number];
    };

const BANISTER = { male: { a: 0.64, b: 1.92 }, female: { a: 0.86, b: 1.67 } } as const;
const EDWARDS_PERCENT = [50, 60, 70, 80, 90] as const;
const MINUTE_MS = 60_000;

/**
 * Computes the training impulses of a session. A heart rate is valid until the next one or the last sample, for at most 5 s.
 *
 * @returns a number with 1 decimal; null if no heart rate is valid for any time
 * @throws AsiError `BAD_ARGUMENT` for invalid samples; `BAD_OPTION`
 */
export function trimp(
  samples: MetricSamples | Iterable<MetricSamples>,
  method: TrimpMethod,
  options: Pick<MetricsOptions, "from" | "to" | "periods"> = {},
): number | null {
  checkMethod(method);
  const { fromMs, toMs, periods } = checkOptions(options);
  const selected = selectSamples(
    orderSamples(samples),
    fromMs ?? Number.NEGATIVE_INFINITY,
    toMs ?? Number.POSITIVE_INFINITY,
    periods,
  );
  const heldMs = heldTimes(selected);
  return heldMs.every((ms) => ms === 0) ? null : trimpOf(heldMs, method);
}

/** Returns the duration of each heart rate in ms. The index is the heart rate. */
function heldTimes(samples: OrderedSamples): Float64Array {
  const heldMs = new Float64Array(HEART_RATE_LIMITS.maximum + 1);
  holdHeartRates(samples, samples.timestampMs.at(-1) ?? 0, (bpm, fromMs, toMs) => {
    heldMs[bpm] = (heldMs[bpm] ?? 0) + toMs - fromMs;
  });
  return heldMs;
}

/** Computes the training impulses from the number of ms with each heart rate, with 1 decimal. */
export function trimpOf(heldMs: ArrayLike<number>, method: TrimpMethod): number {
  const weightOf = weights(method);
  let sum = 0;
  for (let bpm = 0; bpm < heldMs.length; bpm++) sum += (heldMs[bpm] ?? 0) * weightOf(bpm);
  // sums of whole weights are exact
  return method.method === "banister"
    ? roundHalfUp(sum / MINUTE_MS, 1)
    : divideRoundingHalfUp(sum, MINUTE_MS, 1);
}

function weights(method: TrimpMethod): (bpm: number) => number {
  switch (method.method) {
    case "banister": {
      const { a, b } = BANISTER[method.sex];
      const reserve = method.maxHr - method.restHr;
      return (bpm) => {
        const r = Math.min(1, Math.max(0, (bpm - method.restHr) / reserve));
        return r * a * Math.exp(b * r);
      };
    }
    case "edwards":
      return (bpm) => EDWARDS_PERCENT.filter((percent) => 100 * bpm >= percent * method.maxHr).length;
    case "lucia":
      return (bpm) => 1 + method.thresholds.filter((threshold) => bpm >= threshold).length;
  }
}

function checkMethod(method: TrimpMethod): void {
  switch (method?.method) {
    case "banister":
      requireHeartRates({ maxHr: method.maxHr, restHr: method.restHr });
      if (method.restHr >= method.maxHr) throw bad("restHr must be below maxHr.");
      if (method.sex === "female" || method.sex === "male") return;
      throw bad(`sex is ${shown(method.sex)}; Banister's weights exist for "female" and "male" only.`);
    case "edwards":
      requireHeartRates({ maxHr: method.maxHr });
      return;
    case "lucia": {
      const [first, second] = method.thresholds ?? [];
      requireHeartRates({ "thresholds[0]": first, "thresholds[1]": second });
      if ((first ?? 0) >= (second ?? 0)) throw bad("The thresholds must be in ascending order.");
      return;
    }
    default:
      throw bad(
        `method is ${shown((method as { method?: unknown } | null)?.method)}; use banister, edwards or lucia.`,
      );
  }
}

function requireHeartRates(rates: Readonly<Record<string, unknown>>): void {
  for (const [name, bpm] of Object.entries(rates)) {
    if (typeof bpm === "number" && isValidHeartRate(bpm)) continue;
    throw bad(`${name} is ${shown(bpm)}; it must be from 30 to 240 bpm.`);
  }
}

function bad(message: string): AsiError {
  return new AsiError("BAD_OPTION", message);
}
