import { and, asc, eq, sql } from "drizzle-orm";
import { jobs } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Number of changes that one transaction records, because others wait for it. Jobs record the others. */
export const RECORDED_AT_A_TIME = 200;

const kind = "record-figures";

/** A job that finds what it records when it runs, so at most one with the same payload waits. */
export interface Recording {
  payload: Record<string, unknown>;
  chargedTo: number;
}

/** Adds jobs. If the same job is waiting, it must not start before this transaction has ended. */
export async function queueRecordings(unit: UnitOfWork, recordings: readonly Recording[]): Promise<void> {
  const byKey = new Map(
    recordings.map((one) => [JSON.stringify(Object.entries(one.payload).sort()), { kind, ...one } as const]),
  );
  // Write in the order of the keys, because concurrent changes would otherwise deadlock.
  const wanted = [...byKey].map(([uniqueKey, job]) => ({ ...job, uniqueKey })).sort(inOrderOfKeys);
  const keys = sql.param(wanted.map(({ uniqueKey }) => uniqueKey));
  for (let held = 0; held < wanted.length; ) {
    await unit.enqueueAll(wanted);
    const rows = await unit.queries
      .select({ id: jobs.id })
      .from(jobs)
      .where(
        and(
          eq(jobs.kind, kind),
          sql`${jobs.uniqueKey} = ANY(${keys}::text[])`,
          sql`${jobs.state} = 'PENDING'`,
        ),
      )
      .orderBy(asc(jobs.uniqueKey))
      .for("update");
    held = rows.length;
  }
}

const inOrderOfKeys = (a: { uniqueKey: string }, b: { uniqueKey: string }) =>
  a.uniqueKey < b.uniqueKey ? -1 : 1;

/** Adds jobs that record what later queries would not find, or exactly these objects. */
export const queueExactly = (
  unit: UnitOfWork,
  recordings: readonly { payload: object; chargedTo?: number }[],
): Promise<void> =>
  unit.enqueueAll(
    recordings.map(({ payload, ...charged }) => ({ kind, payload: { ...payload }, ...charged })),
  );
