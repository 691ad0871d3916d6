export type SpeedUnit = "km/h" | "m/s";

/** Replaces a missing value. */
export const NO_VALUE = "–";

const MINUS = "−";

/** Factor from m/s to km/h. */
export const KM_PER_H = 3.6;
/** Factor from mm/s to km/h. */
export const KM_PER_H_OF_MM_PER_S = 0.0036;

const UNITS_PER_M_PER_S: Record<SpeedUnit, number> = { "km/h": KM_PER_H, "m/s": 1 };

/** Returns the factor from m/s to a unit of speed. */
export function speedFactor(unit: SpeedUnit): number {
  return UNITS_PER_M_PER_S[unit];
}

/** Formatters by number of decimals. Creating a formatter takes longer than formatting a hundred texts. */
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(decimals: number): Intl.NumberFormat {
  const known = formats.get(decimals);
  if (known !== undefined) return known;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const made = new Intl.NumberFormat("en-GB", digits);
  formats.set(decimals, made);
  return made;
}

/** Returns a number with thousands separators and a fixed number of decimals. */
export function decimal(value: number, decimals: number): string {
  return negated(formatOf(decimals).format(Math.abs(value)), value < 0);
}

/** Returns the text of a value with a minus sign if it is negative, or without a sign if it is shown as 0. */
export const negated = (text: string, isNegative: boolean): string =>
  isNegative && /[1-9]/.test(text) ? MINUS + text : text;

/** Returns the text of a difference with its sign, or without a sign if it is shown as 0. */
export const withSign = (text: string): string =>
  text.startsWith(MINUS) || !/[1-9]/.test(text) ? text : `+${text}`;

/** Returns a name with the unit of its values as a column heading, such as `Distance, m`. */
export const withUnit = (name: string, unit: string): string => (unit === "" ? name : `${name}, ${unit}`);

/**
 * Returns a share from 0 to 1 in percent, such as `38.2 %`. It is rounded half up by its decimal digits, as in `asi stats`, because 100
 * times a share would have the errors of doubles, for example 28.349999999999998.
 */
export function percent(share: number, decimals = 1): string {
  const text = share.toLocaleString("en-GB", {
    style: "percent",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return text.replace("%", " %");
}

/** Returns a distance in metres below a kilometre, and in kilometres above. */
export function distance(metres: number): { value: string; unit: string } {
  return metres < 999.5
    ? { value: decimal(metres, 0), unit: "m" }
    : { value: decimal(metres / 1000, 2), unit: "km" };
}

/** Returns a number of bytes in the largest unit (powers of 1000) with a value of at least 1. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${decimal(value, value < 9.95 ? 1 : 0)} ${units[unit]}`;
}
