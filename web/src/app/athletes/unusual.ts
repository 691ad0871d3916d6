import { dateText } from "../parts/days.js";

/** The profile values to check. */
interface Profile {
  birth_date: string | null;
  /** The weight in kilograms. */
  weight: number | null;
  /** The height in metres. */
  height: number | null;
}

/** A remark on a value of a profile. */
export interface Finding {
  name: keyof Profile;
  sentence: string;
}

const YEAR_MS = 365.25 * 86_400_000;

/** The limits range from young children to the tallest, heaviest and oldest athletes. Values outside are usually typing errors. */
const USUAL = { years: [4, 100], weightKg: [15, 200], heightCm: [90, 230] } as const;
/** No person is smaller. A lower height is in metres or feet. */
const LEAST_HEIGHT_CM = 30;
/** A height in this range is in metres. */
const HEIGHT_M = [0.9, 2.5] as const;

const isIn = ([least, most]: readonly [number, number], value: number) => value >= least && value <= most;

const centimetresOf = (heightM: number) => Math.round(heightM * 10_000) / 100;

/** Returns a sentence for each impossible value of a profile. */
export function impossible({ birth_date, height }: Profile, nowMs: number): Finding[] {
  const found: Finding[] = [];
  if (birth_date !== null && birth_date > dateText(nowMs, "local"))
    found.push({ name: "birth_date", sentence: "The date of birth is in the future." });
  if (height !== null && centimetresOf(height) < LEAST_HEIGHT_CM) {
    const entered = centimetresOf(height);
    const meant = isIn(HEIGHT_M, entered) ? ` Enter ${Math.round(entered * 100)} for ${entered} m.` : "";
    found.push({ name: "height", sentence: `Height is in centimetres.${meant}` });
  }
  return found;
}

/** Returns a sentence for each value of a profile that is possible but probably a typing error. */
export function unusual({ birth_date, weight, height }: Profile, nowMs: number): Finding[] {
  const found: Finding[] = [];
  if (birth_date !== null) {
    const years = Math.max(0, Math.floor((nowMs - Date.parse(birth_date)) / YEAR_MS));
    if (!isIn(USUAL.years, years)) {
      found.push({
        name: "birth_date",
        sentence: `According to the date of birth, the athlete is ${years} ${years === 1 ? "year" : "years"} old.`,
      });
    }
  }
  if (weight !== null && !isIn(USUAL.weightKg, weight))
    found.push({ name: "weight", sentence: `The weight is ${weight} kg.` });
  if (height !== null && !isIn(USUAL.heightCm, centimetresOf(height)))
    found.push({ name: "height", sentence: `The height is ${centimetresOf(height)} cm.` });
  return found;
}
