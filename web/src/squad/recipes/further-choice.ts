import { FURTHER_FIGURES, type FurtherColumn, furtherColumns } from "asi-convert/squad-report";

/** All columns of figures on request. */
export const FURTHER_COLUMNS: readonly FurtherColumn[] = furtherColumns(FURTHER_FIGURES);

/** The columns with these keys, in the order of the library. */
export const furtherIn = (keys: readonly string[]): FurtherColumn[] =>
  FURTHER_COLUMNS.filter(({ key }) => keys.includes(key));
