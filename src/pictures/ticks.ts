const HOUR_S = 3600;

/** Possible steps between the labels of a time axis, s: up to 30 s, 30 min and 30 days. */
const TIME_STEPS_S = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 2_592_000,
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
  const rough = (toMs - fromMs) / 1000 / Math.max(1, most);
  const stepMs = 1000 * (TIME_STEPS_S.find((step) => step >= rough) ?? Math.ceil(rough / HOUR_S) * HOUR_S);
  const ticks: TimeTick[] = [];
  for (
    let local = Math.ceil((fromMs + offsetMs) / stepMs) * stepMs;
    local <= toMs + offsetMs;
    local += stepMs
  ) {
    const iso = new Date(local).toISOString();
    const label =
      stepMs < 60_000 ? iso.slice(11, 19) : stepMs < 86_400_000 ? iso.slice(11, 16) : iso.slice(5, 10);
    ticks.push({ ms: local - offsetMs, label });
  }
  return ticks;
}
