import { rounded } from "../../squad-report/squad-columns.js";

/** The values of a figure for all compared items, and their differences from the first item. */
export interface ComparedFigure {
  name: string;
  unit: string;
  definition: string;
  values: (number | null)[];
  /** Value minus the first value; null if one of them is unknown. */
  differences: (number | null)[];
}

/** @param values in the order of the compared items */
export function comparedFigure(
  figure: { name: string; unit: string; definition: string },
  values: readonly (number | null)[],
): ComparedFigure {
  const [first = null] = values;
  const { name, unit, definition } = figure;
  return {
    name,
    unit,
    definition,
    values: [...values],
    differences: values.map((value) => (value === null || first === null ? null : rounded(value - first))),
  };
}
