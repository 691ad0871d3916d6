import { OPTIONAL_FIGURES, type OptionalColumn, optionalColumns } from "asi-convert/squad-report";

/** All columns of optional figures. */
export const OPTIONAL_COLUMNS: readonly OptionalColumn[] = optionalColumns(OPTIONAL_FIGURES);

/** Returns the columns with these keys, in the order of the library. */
export const optionalColumnsIn = (keys: readonly string[]): OptionalColumn[] =>
  OPTIONAL_COLUMNS.filter(({ key }) => keys.includes(key));
