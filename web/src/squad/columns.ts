import { computed, type ReadonlySignal } from "@preact/signals";
import {
  figureOf,
  MAIN_COLUMNS,
  type MemberFigures,
  recordedTimeMs,
  SQUAD_COLUMNS,
  type SquadColumn,
  type SquadRow,
  unitText,
} from "asi-convert/squad";
import { rememberedText } from "../view/remembered.js";

/** Appearance of a column in the table of the page. */
interface Look {
  head?: string;
  /** Width in pixels. */
  width?: number;
  /** The second line of the header, unless it is the unit. `threshold` shows the current threshold, or "own". */
  under?: (threshold: string) => string;
}

const LOOKS: Record<string, Look> = {
  minutes: { head: "Minutes", width: 58 },
  distance_m: { width: 70 },
  rate_m_per_min: { width: 52 },
  high_speed_m: { width: 66, under: (threshold) => `m ${threshold}` },
  sprints: { width: 58 },
  top_speed_km_per_h: { width: 52 },
  accelerations: { width: 62, under: (threshold) => `${threshold} m/s²` },
  decelerations: { width: 52 },
  hr_mean_bpm: { under: () => "mean bpm" },
  sprint_m: { under: (threshold) => `m ${threshold}` },
};

const USUAL_WIDTH = 64;
/** Maximum width in pixels. Recipe names can be long, and the header shows the full name as its title. */
const LONGEST_WIDTH = 180;
const LETTER_WIDTH = 6.5;
const PER_MINUTE_WIDTH = 14;

const SQUAD_KEYS = SQUAD_COLUMNS.map(({ key }) => key);
const AT_FIRST = MAIN_COLUMNS.map(({ key }) => key);

export const headOf = ({ key, head }: SquadColumn): string => LOOKS[key]?.head ?? head;
/** Returns the width of a column in pixels. The header needs space for "/min". */
export const widthOf = (column: SquadColumn, isPerMinute: boolean): number =>
  (LOOKS[column.key]?.width ??
    Math.min(LONGEST_WIDTH, Math.max(USUAL_WIDTH, 12 + LETTER_WIDTH * column.head.length))) +
  (isPerMinute && isDivided(column) ? PER_MINUTE_WIDTH : 0);

/** Returns the unit and the current threshold, for the line under the name of a column. */
export function underHead(column: SquadColumn, rows: readonly SquadRow[], isPerMinute: boolean): string {
  const plain = unitText(column, rows).replace(/^[≥≤]/, "$& ");
  const text = LOOKS[column.key]?.under?.(plain) ?? plain;
  if (!isPerMinute || !isDivided(column)) return text;
  return /^m\b/.test(text) ? text.replace("m", "m/min") : `${text} /min`.trim();
}

/** Returns the value of a table column, optionally per minute with data, or null if it is unknown. */
export function valueIn(figures: MemberFigures, column: SquadColumn, isPerMinute: boolean): number | null {
  const value = figureOf(figures, column);
  const { metrics } = figures;
  if (!isPerMinute || !isDivided(column) || value === null || metrics === null) return value;
  const minutes = recordedTimeMs(metrics) / 60_000;
  return minutes === 0 ? null : value / minutes;
}

const isDivided = ({ kind, key }: SquadColumn): boolean => kind === "sum" && key !== "minutes";

/** Decimals of a column. Counts and energy per minute need two. */
export function decimalsOf(column: SquadColumn, isPerMinute: boolean): number {
  if (!isPerMinute || !isDivided(column)) return column.decimals;
  return column.unit === "" || column.unit === "kJ/kg" ? 2 : 1;
}

/** The shown columns, and the user's choice, which is stored. */
export class ColumnChoice {
  /** The selected recipes as text, or empty if there are none. */
  readonly recipes = rememberedText("asi-squad-recipes");
  readonly #kept = rememberedText("asi-squad-columns");
  readonly keys: ReadonlySignal<readonly string[]>;
  /** The keys of optional figures. */
  readonly optionalKeys: ReadonlySignal<string>;

  constructor() {
    this.keys = computed(() => (this.#kept.value === "" ? AT_FIRST : this.#kept.value.split(",")));
    this.optionalKeys = computed(() => `${this.keys.value.filter((one) => !SQUAD_KEYS.includes(one))}`);
  }

  /**
   * Returns the columns in the order of the library, followed by the counts of recipes and optional figures. The rate is omitted beside
   * figures per minute, because it is redundant.
   */
  shown({ isPerMinute, counts }: { isPerMinute: boolean; counts: readonly SquadColumn[] }): SquadColumn[] {
    const keys = this.keys.value;
    return [
      ...SQUAD_COLUMNS.filter(({ key }) => keys.includes(key) && !(isPerMinute && key === "rate_m_per_min")),
      ...counts,
    ];
  }

  toggle(key: string): void {
    const keys = this.keys.peek();
    const chosen = keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key];
    // without columns there would be no table, and no menu
    if (chosen.length > 0) this.#kept.value = chosen.join(",");
  }

  reset(): void {
    this.#kept.value = AT_FIRST.join(",");
    this.recipes.value = "";
  }
}
