import { type StaticDecode, type TObject, Type } from "@sinclair/typebox";
import type { Interval } from "../../store/samples/index.js";
import { dateTimeProblem, parseInstant } from "../../wire/date-time.js";
import { Query } from "../../wire/types.js";
import { errors, type FieldErrors } from "../change/errors.js";

const deprecatedBound = (name: string) =>
  Type.Optional(
    Type.String({
      description: `Deprecated: use ${name}. Used only if ${name} is not sent.`,
      deprecated: true,
      openapi: { type: "string", format: "date-time" },
    }),
  );

/** Maximum number of days between the bounds, for samples and for ranges. */
export const MAX_DAYS_OF_SAMPLES = 2;
export const MAX_DAYS_OF_RANGES = 14;

/** Bounds of a request for raw data, both inclusive. */
export const BoundsQuery = {
  start: Query.instant(
    "First time: milliseconds since 1970, or a date-time. Required, unless the deprecated start_iso is sent instead",
    "2024-01-01T06:00:00.000Z",
  ),
  stop: Query.instant(
    "Last time, inclusive; same format as start. Required, unless the deprecated stop_iso is sent instead",
    "2024-01-01T07:45:00.000Z",
  ),
  start_iso: deprecatedBound("start"),
  stop_iso: deprecatedBound("stop"),
};

type Bounds = StaticDecode<TObject<typeof BoundsQuery>>;

const DAY_MS = 86_400_000;

/**
 * Reads the bounds. `start` takes precedence over `start_iso`, and `stop` over `stop_iso`.
 * @throws ServiceError `invalid` when a bound is missing or invalid, or start is after stop; `range_too_long`
 */
export function readBounds(bounds: Bounds, maxDays: number): Interval {
  const problems: FieldErrors = {};
  const read = (name: "start" | "stop") => {
    const legacy = bounds[`${name}_iso`];
    const value = bounds[name] ?? (legacy === undefined ? undefined : parseInstant(legacy));
    if (value !== undefined) return value;
    if (legacy === undefined) problems[name] = ["This field is required."];
    else problems[`${name}_iso`] = [dateTimeProblem(legacy)];
    return Number.NaN;
  };
  const interval = { startMs: read("start"), stopMs: read("stop") };
  if (Object.keys(problems).length > 0) throw errors.invalid(problems);
  if (interval.startMs > interval.stopMs) throw errors.field("stop", "Must not be before start.");
  if (interval.stopMs - interval.startMs > maxDays * DAY_MS) {
    throw errors.field(
      "non_field_errors",
      `At most ${maxDays} days may lie between start and stop.`,
      "range_too_long",
    );
  }
  return interval;
}
