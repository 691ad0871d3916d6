import { isRecord, requireKnown, shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import type { Recipe } from "./recipe.js";

type Rule = (value: unknown, name: string) => void;

const integer =
  (minimum: number, maximum: number): Rule =>
  (value, name) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) return;
    throw bad(name, value, `an integer from ${minimum} to ${maximum}`);
  };

const oneOf =
  (...allowed: readonly unknown[]): Rule =>
  (value, name) => {
    if (!allowed.includes(value))
      throw bad(name, value, allowed.map((one) => JSON.stringify(one)).join(" or "));
  };

const members =
  (required: Readonly<Record<string, Rule>>, optional: Readonly<Record<string, Rule>> = {}): Rule =>
  (value, name) => {
    if (!isRecord(value)) throw bad(name, value, "an object");
    requireKnown(`key of ${name}`, value, [...Object.keys(required), ...Object.keys(optional)]);
    for (const [key, rule] of Object.entries(required)) {
      if (!Object.hasOwn(value, key)) throw new AsiError("BAD_OPTION", `${name}.${key} is missing.`);
      rule(value[key], `${name}.${key}`);
    }
    for (const [key, rule] of Object.entries(optional)) {
      if (Object.hasOwn(value, key)) rule(value[key], `${name}.${key}`);
    }
  };

const orNull =
  (rule: Rule): Rule =>
  (value, name) => {
    if (value !== null) rule(value, name);
  };

const smoothing: Rule = (value, name) => {
  const type = isRecord(value) ? value.type : undefined;
  const rules: Readonly<Record<string, Rule>> =
    type === "mean"
      ? { type: oneOf("mean"), samples: oddNumber }
      : {
          type: oneOf("butterworth", "mean"),
          order: oneOf(2),
          cutoff_mhz: integer(10, 50_000),
          zero_phase: oneOf(true),
          corrected: oneOf(true, false),
        };
  members(rules)(value, name);
};

const oddNumber: Rule = (value, name) => {
  integer(3, 101)(value, name);
  if ((value as number) % 2 === 0) throw bad(name, value, "odd");
};

const gate: Rule = (value, name) => {
  members(
    {},
    {
      min_satellites: integer(0, 255),
      max_speed_accuracy: integer(0, 100_000),
      max_pdop_hundredths: integer(0, 9999),
    },
  )(value, name);
  if (Object.keys(value as object).length > 0) return;
  throw new AsiError(
    "BAD_OPTION",
    `${name} has no limit; give it min_satellites, max_speed_accuracy or max_pdop_hundredths, or use null.`,
  );
};

/** No runner or cyclist exceeds 100 m/s; no person's acceleration exceeds 100 m/s2. */
const LIMIT = integer(0, 100_000);
const MINUTE_MS = integer(0, 60_000);

const RECIPE = members(
  {
    recipe: oneOf(1),
    source: oneOf("doppler_speed"),
    gate: orNull(gate),
    max_valid: integer(1000, 100_000),
    gap: members({ min_ms: integer(0, 3_600_000), steps: integer(0, 1000) }),
    smooth: orNull(smoothing),
    derivative: orNull(members({ order: oneOf(1), type: oneOf("central") })),
    on: oneOf("interval_mean", "sample"),
    enter: integer(1, 100_000),
    exit: integer(1, 100_000),
    min_ms: MINUTE_MS,
    merge_ms: MINUTE_MS,
    rounding: oneOf("half_up"),
  },
  {
    spike: members({ type: oneOf("median"), samples: oneOf(3) }),
    standstill: integer(0, 2000),
    resample_ms: integer(10, 1000),
    sign: oneOf(1, -1),
    confirm_samples: integer(1, 100),
    peak_min: LIMIT,
    artefact: LIMIT,
  },
);

/**
 * Checks a recipe from a user.
 *
 * @throws AsiError `BAD_OPTION` with the invalid key and its permitted values
 */
export function checkRecipe(value: unknown): Recipe {
  RECIPE(value, "recipe");
  const recipe = value as Recipe;
  const { resample_ms, smooth, derivative, enter, exit, peak_min, artefact, sign } = recipe;
  if (exit > enter) throw bad("recipe.exit", exit, `at most recipe.enter (${enter})`);
  if (artefact !== undefined && artefact < Math.max(enter, peak_min ?? 0)) {
    throw bad("recipe.artefact", artefact, "at least recipe.enter and recipe.peak_min");
  }
  if (resample_ms === undefined && (smooth !== null || derivative !== null)) {
    throw new AsiError(
      "BAD_OPTION",
      "recipe.resample_ms is missing: smooth and derivative need equal steps.",
    );
  }
  if (
    smooth?.type === "butterworth" &&
    resample_ms !== undefined &&
    smooth.cutoff_mhz * resample_ms >= 500_000
  ) {
    throw bad("recipe.smooth.cutoff_mhz", smooth.cutoff_mhz, "below half of the rate of resample_ms");
  }
  if (sign !== undefined && derivative === null) {
    throw new AsiError("BAD_OPTION", "recipe.sign has an effect only with a derivative; omit it.");
  }
  return recipe;
}

function bad(name: string, value: unknown, what: string): AsiError {
  return new AsiError("BAD_OPTION", `${name} is ${shown(value)}; it must be ${what}.`);
}
