import { and, gt, lt, lte, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** Columns of a row that is valid from a time (inclusive) to another one (exclusive). */
interface TimeColumns {
  startTime: PgColumn;
  endTime: PgColumn;
}

/** Returns the condition that a row is valid at some instant from `from` to `to`, exclusive. An absent bound is unlimited. */
export const isValidBetween = (
  { startTime, endTime }: TimeColumns,
  from: Date | undefined,
  to: Date | undefined,
): SQL | undefined => and(to && lt(startTime, to), from && gt(endTime, from));

/** Returns the condition that a row is valid at an instant; without one, undefined. */
export const isValidAt = ({ startTime, endTime }: TimeColumns, at: Date | undefined): SQL | undefined =>
  at && and(lte(startTime, at), gt(endTime, at));
