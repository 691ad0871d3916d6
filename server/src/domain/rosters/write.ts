import { eq, getTableColumns, sql } from "drizzle-orm";
import { assignments, squadMembers } from "../../store/schema.js";
import type { Assignment } from "../assignments/rules.js";
import type { Written } from "../change/events.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Member } from "../members/rules.js";
import type { RosterPlayer } from "./read.js";

/**
 * The changes of a roster. Rows in `changed` start at the time of the roster, or later if the roster replaces later rows. Rows in `ended` end then and have a
 * successor in `added`.
 */
export interface Changes<Row, New> {
  added: New[];
  changed: Written<Row>[];
  ended: Written<Row>[];
  unchanged: number;
  /** Rows that start later and differ from the roster, with the values of the roster. They do not change. */
  keptLater: { player: RosterPlayer; row: Row; wanted: Row }[];
}

export const noChanges = <Row, New>(): Changes<Row, New> => ({
  added: [],
  changed: [],
  ended: [],
  unchanged: 0,
  keptLater: [],
});

export type NewMember = Omit<Member, "id" | "version">;
export type NewAssignment = Omit<Assignment, "id" | "version">;

/** Writes the changes with one statement for all updates, and one for all new rows. */
export async function writeMembers(
  { queries }: UnitOfWork,
  { added, changed, ended }: Changes<Member, NewMember>,
): Promise<Written<Member>[]> {
  const updates = [...ended, ...changed];
  const wanted = updates.map(({ after: { id, number, position, params, endTime } }) => ({
    ...{ id, number, position, params, end_time: endTime },
  }));
  const updated =
    updates.length === 0
      ? []
      : await queries
          .update(squadMembers)
          .set({
            number: sql`wanted.number`,
            position: sql`wanted.position`,
            params: sql`wanted.params`,
            endTime: sql`wanted.end_time`,
            version: sql`${squadMembers.version} + 1`,
          })
          .from(
            sql`jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
              AS wanted (id bigint, number smallint, position text, params jsonb, end_time timestamptz)`,
          )
          .where(eq(squadMembers.id, sql`wanted.id`))
          .returning(getTableColumns(squadMembers));
  const inserted = added.length === 0 ? [] : await queries.insert(squadMembers).values(added).returning();
  return writtenOf(updates, updated, inserted);
}

/** Writes the changes with one statement for all updates, and one for all new rows. */
export async function writeAssignments(
  { queries }: UnitOfWork,
  { added, changed, ended }: Changes<Assignment, NewAssignment>,
): Promise<Written<Assignment>[]> {
  const updates = [...ended, ...changed];
  const wanted = updates.map(({ after: { id, athleteId, endTime } }) => ({
    ...{ id, athlete_id: athleteId, end_time: endTime },
  }));
  const updated =
    updates.length === 0
      ? []
      : await queries
          .update(assignments)
          .set({
            athleteId: sql`wanted.athlete_id`,
            endTime: sql`wanted.end_time`,
            version: sql`${assignments.version} + 1`,
          })
          .from(
            sql`jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
              AS wanted (id bigint, athlete_id bigint, end_time timestamptz)`,
          )
          .where(eq(assignments.id, sql`wanted.id`))
          .returning(getTableColumns(assignments));
  const inserted = added.length === 0 ? [] : await queries.insert(assignments).values(added).returning();
  return writtenOf(updates, updated, inserted);
}

/** Returns the rows before and after the changes, in the order of the updates. */
function writtenOf<Row extends { id: number }>(
  updates: readonly Written<Row>[],
  updated: readonly Row[],
  inserted: readonly Row[],
): Written<Row>[] {
  const byId = new Map(updated.map((row) => [row.id, row]));
  const written = updates.flatMap(({ before, after: { id } }) => {
    const after = byId.get(id);
    return after === undefined ? [] : [{ before, after }];
  });
  return [...written, ...inserted.map((after) => ({ before: null, after }))];
}
