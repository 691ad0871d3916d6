/** Values of a profile that may be. */
interface Profile {
  birth_date: string | null;
  /** Kilograms. */
  weight: number | null;
  /** Metres. */
  height: number | null;
}

const YEAR_MS = 365.25 * 86_400_000;

/** From young children to the tallest, heaviest and oldest athletes: values beyond are most often typing errors. */
const USUAL = { years: [4, 100], weightKg: [15, 200], heightCm: [90, 230] } as const;

const isIn = ([least, most]: readonly [number, number], value: number) => value >= least && value <= most;

/** What of a profile is possible but most often a typing error, in sentences. */
export function unusual(
  { birth_date, weight, height }: Profile,
  nowMs: number,
): { name: keyof Profile; sentence: string }[] {
  const found: { name: keyof Profile; sentence: string }[] = [];
  if (birth_date !== null) {
    const years = Math.floor((nowMs - Date.parse(birth_date)) / YEAR_MS);
    if (years < 0) found.push({ name: "birth_date", sentence: "The date of birth is in the future." });
    else if (!isIn(USUAL.years, years)) {
      found.push({
        name: "birth_date",
        sentence: `By the date of birth the athlete is ${years} ${years === 1 ? "year" : "years"} old.`,
      });
    }
  }
  if (weight !== null && !isIn(USUAL.weightKg, weight))
    found.push({ name: "weight", sentence: `The weight is ${weight} kg.` });
  if (height !== null) {
    const heightCm = Math.round(height * 10_000) / 100;
    if (!isIn(USUAL.heightCm, heightCm))
      found.push({ name: "height", sentence: `The height is ${heightCm} cm: it is in centimetres.` });
  }
  return found;
}
