const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Possible steps between the labels of a time axis. */
const TIME_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24, 48, 168, 720].map((hours) => hours * HOUR_MS),
];

/** Returns at most `most` + 1 round numbers that cover the values from `low` to `high`. */
export function roundTicks(low: number, high: number, most: number): number[] {
  if (high <= low) return roundTicks(low, low + 1, most);
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export interface TimeTick {
  ms: number;
  label: string;
}

/**
 * Returns the times of the labels on an axis: whole seconds, minutes or hours of local time.
 *
 * @param offsetMs UTC offset of local time
 */
export function timeTicks(fromMs: number, toMs: number, most: number, offsetMs: number): TimeTick[] {
  const rough = (toMs - fromMs) / Math.max(1, most);
  const stepMs = TIME_STEPS_MS.find((step) => step >= rough) ?? Math.ceil(rough / HOUR_MS) * HOUR_MS;
  const ticks: TimeTick[] = [];
  for (
    let local = Math.ceil((fromMs + offsetMs) / stepMs) * stepMs;
    local <= toMs + offsetMs;
    local += stepMs
  ) {
    const iso = new Date(local).toISOString();
    const label =
      stepMs < MINUTE_MS ? iso.slice(11, 19) : stepMs < 24 * HOUR_MS ? iso.slice(11, 16) : iso.slice(5, 10);
    ticks.push({ ms: local - offsetMs, label });
  }
  return ticks;
}
