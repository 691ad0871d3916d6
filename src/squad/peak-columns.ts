import { PEAK_WINDOWS_S, type PeakAmount, type PeakWindow } from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";
import { hasZones } from "./own-zones.js";
import type { MemberFigures } from "./squad-table.js";

/** A column with a peak, and the start of its window. */
export interface PeakColumn extends SquadColumn {
  /** Returns ms since 1970 UTC; null if there is no peak. */
  startMs(figures: MemberFigures): number | null;
}

type SquadAmount = Exclude<PeakAmount, "metabolic_power">;

const AMOUNTS: readonly {
  amount: SquadAmount;
  suffix: string;
  /** The word that is added to the column head. */
  word: string;
  title: string;
  unit: string;
  decimals: number;
}[] = [
  { amount: "distance", suffix: "distance_m", word: "", title: "distance", unit: "m", decimals: 0 },
  {
    amount: "high_speed_distance",
    suffix: "high_speed_m",
    word: " fast",
    title: "high-speed distance",
    unit: "m",
    decimals: 0,
  },
  {
    amount: "acceleration",
    suffix: "acceleration_m_per_s2",
    word: " acc.",
    title: "mean absolute acceleration",
    unit: "m/s2",
    decimals: 2,
  },
  {
    amount: "accelerations",
    suffix: "accelerations",
    word: " count",
    title: "accelerations",
    unit: "",
    decimals: 0,
  },
  {
    amount: "heart_rate",
    suffix: "heart_rate_bpm",
    word: " HR",
    title: "mean heart rate",
    unit: "bpm",
    decimals: 0,
  },
];

/** The windows, in s, whose distances tables and reports show if no columns are named. */
const SHOWN_WINDOWS_S: readonly number[] = [60, 180, 300, 600];

const nameOfWindow = (windowS: number) => (windowS % 60 === 0 ? `${windowS / 60} min` : `${windowS} s`);

/** Returns false for a player without individual zones in a table with individual zones. */
const hasOwnZones = (metrics: MemberFigures["metrics"]) =>
  metrics !== null && hasZones(metrics.definition.parameters);

/** Returns a column for each window and quantity of `peakDemands`, with as many decimals as `peakDemands`. */
export const peakColumns = (): PeakColumn[] =>
  PEAK_WINDOWS_S.flatMap((windowS, i) =>
    AMOUNTS.map(({ amount, suffix, word, title, unit, decimals }): PeakColumn => {
      const peakIn = ({ metrics, peaks }: MemberFigures): PeakWindow | undefined =>
        amount === "high_speed_distance" && !hasOwnZones(metrics) ? undefined : peaks?.[amount][i];
      return {
        key: `peak_${windowS}s_${suffix}`,
        head: `Peak ${nameOfWindow(windowS)}${word}`,
        title: `Peak of ${nameOfWindow(windowS)}: ${title}`,
        unit,
        decimals,
        kind: "level",
        value: (_, figures) => peakIn(figures)?.value ?? null,
        startMs: (figures) => peakIn(figures)?.start_time ?? null,
      };
    }),
  );

/** Returns the columns of distances that tables and reports show. */
export const shownPeakColumns = (): PeakColumn[] =>
  peakColumns().filter(({ key }) => SHOWN_WINDOWS_S.some((windowS) => key === `peak_${windowS}s_distance_m`));

/** The description of the columns in reports. */
export const PEAKS_TEXT =
  "Peak: the longest distance in any window of this length, of which at least 90 % is recorded.";
