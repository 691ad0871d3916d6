import { and, eq } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import { deleteSamplesBetween, listRanges, sqlClientOf } from "../../store/samples/index.js";
import { timeframes } from "../../store/schema.js";
import { timesOfAthleteAlone } from "../timeframes/recorded-samples.js";
import { removeTimeframes } from "../timeframes/remove.js";
import type { UnitOfWork } from "../unit-of-work.js";

type Run = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>;

/**
 * Removes the time frames of an athlete one by one, each in a transaction with the samples that were recorded for the athlete.
 * Samples that a time frame of another athlete covers too stay.
 * @returns number of removed samples
 */
export async function eraseSamples(queries: Queries, athleteId: number, run: Run): Promise<number> {
  let samples = 0;
  for (;;) {
    const [next] = await queries
      .select({ id: timeframes.id })
      .from(timeframes)
      .where(eq(timeframes.athleteId, athleteId))
      .orderBy(timeframes.id)
      .limit(1);
    if (next === undefined) return samples;
    samples += await run((unit) => eraseFrame(unit, next.id, athleteId));
  }
}

/** Does the same in one transaction, for the time frames that were added meanwhile. */
export async function eraseRemainingSamples(unit: UnitOfWork, athleteId: number): Promise<number> {
  return eraseSamples(unit.queries, athleteId, (work) => work(unit));
}

/** @returns 0 when the time frame is another athlete's by now */
async function eraseFrame(unit: UnitOfWork, id: number, athleteId: number): Promise<number> {
  const { queries } = unit;
  const [frame] = await queries
    .select()
    .from(timeframes)
    .where(and(eq(timeframes.id, id), eq(timeframes.athleteId, athleteId)))
    .for("update");
  if (frame === undefined) return 0;
  const client = sqlClientOf(queries);
  const removed = await timesOfAthleteAlone(queries, frame);
  const ranges = await listRanges(client, frame.deviceId, removed);
  for (const { startMs, stopMs } of removed) {
    await deleteSamplesBetween(client, frame.deviceId, startMs, stopMs + 1);
  }
  await removeTimeframes(unit, eq(timeframes.id, id));
  await unit.announce("samplesErased", { deviceId: frame.deviceId, changed: removed });
  return ranges.reduce((sum, { size }) => sum + size, 0);
}
