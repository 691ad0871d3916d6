import {
  type AccelerationSpeedProfile,
  type HeartRateVariability,
  LF_HF_CAUTION,
  type MetabolicEstimate,
  type PeakAmount,
  type PeakDemands,
  type PeakWindow,
  type StandardRuns,
  shortHash,
} from "../../metrics/index.js";
import { decimalText } from "../../pictures/figure-text.js";
import { timeSpanText } from "../terminal/time-text.js";
import type { Figures, NamedResult } from "./figures.js";

/** Formats the optional figures. Returns an empty text if none were requested. */
export function figuresText(figures: Figures | null, instantText: (ms: number) => string): string {
  if (figures === null) return "";
  const { peak_demands, recipes = [], hrv, session_max_speed, acceleration_speed, metabolic } = figures;
  const { standard_runs } = figures;
  return [
    peak_demands === undefined ? "" : peaksText(peak_demands, instantText),
    ...recipes.map(recipeText),
    acceleration_speed === undefined ? "" : profileText(session_max_speed ?? null, acceleration_speed),
    metabolic === undefined ? "" : metabolicText(metabolic),
    standard_runs === undefined ? "" : standardRunsText(standard_runs, instantText),
    hrv === undefined ? "" : hrvText(hrv),
  ].join("");
}

const PEAK_COLUMNS: readonly (readonly [amount: PeakAmount, heading: string, decimals: number])[] = [
  ["distance", "distance m", 1],
  ["high_speed_distance", "high speed m", 1],
  ["acceleration", "|accel.| m/s2", 2],
  ["accelerations", "accel.", 0],
  ["heart_rate", "heart bpm", 1],
];

function peaksText(demands: PeakDemands, instantText: (ms: number) => string): string {
  const { peaks, power_law, critical_speed, critical_speed_3, definition } = demands;
  const columns = PEAK_COLUMNS.map(([amount, heading, decimals]) => ({
    list: peaks[amount as keyof typeof peaks] ?? [],
    heading,
    decimals,
  }));
  const rows = [
    ["window", ...columns.map(({ heading }) => heading), "distance from"],
    ...peaks.distance.map(({ window, start_time }, i) => [
      timeSpanText(window * 1000),
      ...columns.map(({ list, decimals }) => valueText(list[i], decimals)),
      start_time === null ? "-" : `  ${instantText(start_time)}`,
    ]),
  ];
  const table = rows.map((row) => `    ${row.map((cell) => cell.padStart(14)).join("")}`.trimEnd());
  const lines = [
    `  peak demands, high speed from ${definition.high_speed} m/s`,
    ...table.map((line) => line.replace(/^ {8}/, "")),
    ...(power_law === null
      ? []
      : [
          `  power law         ${power_law.rate_at_60_s} m/min in 1 min, exponent ${power_law.exponent}${r2Text(power_law.r2)}`,
        ]),
    ...(critical_speed === null
      ? []
      : [
          `  critical speed    ${critical_speed.critical_speed} m/s, D' ${critical_speed.d_prime} m${r2Text(critical_speed.r2)}; for these rows, not a measure of capacity`,
        ]),
    ...(critical_speed_3 === null
      ? []
      : [
          `  with 3 parameters ${critical_speed_3.critical_speed} m/s, D' ${critical_speed_3.d_prime} m, maximum ${critical_speed_3.max_speed} m/s${r2Text(critical_speed_3.r2)}`,
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

function valueText(peak: PeakWindow | undefined, decimals: number): string {
  return typeof peak?.value === "number" ? decimalText(peak.value, decimals) : "-";
}

const r2Text = (r2: number | null) => (r2 === null ? "" : `, R2 ${r2}`);

function recipeText({ name, title, count, distance, hash, dropped, sensitivity }: NamedResult): string {
  const counted =
    count === null || distance === null
      ? "none: a derivative requires at least 1 s with 5 samples per second"
      : `${count}, ${decimalText(distance, 0)} m`;
  const leftOut = leftOutText(dropped);
  const lines = [
    `  ${name}: ${counted}`,
    ...(title === name ? [] : [`    ${title}`]),
    `    recipe ${shortHash(hash)}${leftOut === "" ? "" : `; excluded: ${leftOut}`}`,
    ...(sensitivity === undefined ? [] : sensitivityLines(sensitivity)),
  ];
  return `${lines.join("\n")}\n`;
}

function leftOutText({ gate, gate_duration = 0, too_fast }: NamedResult["dropped"]): string {
  return [
    ...(gate === 0 ? [] : [`${gate} rows (${decimalText(gate_duration, 1)} s) by its gate`]),
    ...(too_fast === 0 ? [] : [`${too_fast} rows that are too fast`]),
  ].join(", ");
}

function sensitivityLines(rows: NonNullable<NamedResult["sensitivity"]>): string[] {
  const [first] = rows;
  const header = (first?.cells ?? []).map(({ min_ms }) => `${min_ms / 1000} s`.padStart(8)).join("");
  return [
    `    the count by filter and minimum duration, everything else unchanged; * marks the recipe`,
    `    ${"".padEnd(18)}${header}`,
    ...rows.map(({ filter, cells }) => {
      const counts = cells.map(({ count, is_recipe }) =>
        `${is_recipe ? "*" : ""}${count ?? "-"}`.padStart(8),
      );
      return `    ${filter.padEnd(18)}${counts.join("")}`;
    }),
  ];
}

function hrvText(hrv: HeartRateVariability): string {
  const { intervals, series, artefacts_percent, rmssd, sdnn, pnn50, dfa_alpha1, lf_hf } = hrv;
  if (intervals === 0)
    return "  heart-rate variability: none, because there are no beats of an ECG waveform and no RR intervals\n";
  // the beats of a week have more values than a call can have arguments
  const known = dfa_alpha1.flatMap(({ alpha1 }) => (alpha1 === null ? [] : [alpha1])).sort((a, b) => a - b);
  const spread =
    known.length === 0
      ? "none, because it requires 120 s without a gap and at most 5 % artefacts"
      : `${decimalText(known[0] ?? 0, 2)} to ${decimalText(known.at(-1) ?? 0, 2)} in ${known.length} of ${dfa_alpha1.length} windows of 120 s`;
  const lines = [
    `heart-rate variability of ${intervals} intervals in ${series} series, ${artefacts_percent} % artefacts corrected`,
    rmssd === null
      ? "  fewer than 20 intervals"
      : `  RMSSD ${rmssd} ms${lf_hf === undefined ? " (meaningful only at rest)" : ""}, SDNN ${sdnn} ms, pNN50 ${pnn50} %`,
    `  DFA alpha 1: ${spread}`,
    ...(lf_hf === undefined
      ? []
      : [
          lf_hf === null
            ? "  LF/HF: none, because it requires 300 s without a gap and at most 5 % artefacts"
            : `  LF ${lf_hf.lf} ms2, HF ${lf_hf.hf} ms2, LF/HF ${lf_hf.ratio}. ${LF_HF_CAUTION}`,
        ]),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

function profileText(maxSpeed: number | null, found: AccelerationSpeedProfile | null): string {
  if (maxSpeed === null || found === null)
    return "  maximum speed held for 0.5 s: none, because it requires at least 1 s with 5 samples a second\n";
  const { profile, reason } = found;
  const text =
    profile === null
      ? `none: ${reason}`
      : `A0 ${profile.a0} m/s2, S0 ${profile.s0} m/s, tau ${profile.tau} s, R2 ${profile.r2_before} of ${profile.n_before} points`;
  return `  maximum speed held for 0.5 s: ${decimalText(maxSpeed, 2)} m/s\n  acceleration-speed profile of these rows: ${text}\n`;
}

function metabolicText(estimate: MetabolicEstimate): string {
  const { energy, equivalent_distance, equivalent_distance_index, categories, caution } = estimate;
  if (energy === null)
    return "  metabolic power: none, because it requires at least 1 s with 5 samples a second\n";
  const lines = [
    `metabolic power: ${energy} kJ/kg, equivalent distance ${equivalent_distance} m, ${equivalent_distance_index ?? "-"} times the distance`,
    ...categories.map(({ threshold_low, threshold_high, duration, distance }) => {
      const limits =
        threshold_high === null ? `from ${threshold_low}` : `${threshold_low} to ${threshold_high}`;
      return `  ${`${limits} W/kg`.padEnd(16)}${timeSpanText(Math.round(duration) * 1000)}  ${decimalText(distance, 0)} m`;
    }),
    `  ${caution}`,
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

function standardRunsText({ runs, caution }: StandardRuns, instantText: (ms: number) => string): string {
  const lines = [
    runs.length === 0
      ? "standard runs: none, because there are no 4 minutes at a steady 2.5 to 4.5 m/s"
      : `standard runs: ${runs.length}`,
    ...runs.map(({ start_time, duration, mean_speed, heart_rate }) => {
      const rate = heart_rate === null ? "heart rate not known" : `${heart_rate} bpm in its last 30 s`;
      return `  ${instantText(start_time)}  ${timeSpanText(1000 * duration)}  ${mean_speed} m/s, ${rate}`;
    }),
    `  ${caution}`,
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}
