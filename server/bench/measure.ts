/** A case to measure: runs once and returns its duration, ms. */
export type Timed = (round: number) => Promise<number>;

/**
 * Runs all cases once in each round, and starts each round with a different case, because drift of the machine, and
 * effects of a case on the next one, must affect all cases equally.
 *
 * @param warmUp number of initial rounds that do not count
 * @returns times by case, ms
 */
export async function interleave<Name extends string>(
  cases: Record<Name, Timed>,
  rounds: number,
  warmUp: number,
): Promise<Record<Name, number[]>> {
  const entries = Object.entries<Timed>(cases);
  const times = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < warmUp + rounds; round++) {
    const first = round % entries.length;
    for (const [name, run] of [...entries.slice(first), ...entries.slice(0, first)]) {
      const ms = await run(round);
      if (round >= warmUp) times.get(name)?.push(ms);
    }
  }
  return Object.fromEntries(times) as Record<Name, number[]>;
}

/** Returns the median; NaN if there are no values. */
export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = ascending.length / 2;
  const upper = ascending[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((ascending[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** Returns the quantile: the value below which a fraction of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const ascending = values.toSorted((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}
