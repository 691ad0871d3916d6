/**
 * Tests that thousands of valid and invalid calls of all operations on one database cause no 5xx response and leave the database
 * consistent.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { DocumentedCalls, mayEnd } from "../documented-calls.js";
import { databaseProblems } from "../invariants.js";
import { service } from "../service.js";

/** Number of calls. It is limited because all long tests together should take minutes. More calls find more errors. */
const CALLS = Number(process.env.PROPERTY_CALLS ?? 2_000);

/** Calls that delete a person or an object are rare, because replacing them takes as long as hundreds of calls. */
const WEIGHT = { ending: 1, other: 12 };

/** Number of calls between two runs of the jobs. */
const CALLS_BETWEEN_JOBS = 500;

it(`${CALLS} calls cause no 5xx and leave the database consistent`, { timeout: 14_400_000 }, async () => {
  const s = await service();
  const calls = await DocumentedCalls.of(s);
  await calls.scene();
  const inputs = calls.operations.map((operation) => ({
    weight: mayEnd(operation) ? WEIGHT.ending : WEIGHT.other,
    arbitrary: calls.inputs(operation).map((sent) => ({ operation, sent })),
  }));
  let made = 0;
  const began = Date.now();
  const property = fc.asyncProperty(fc.oneof(...inputs), async ({ operation, sent }) => {
    await calls.call(operation, sent);
    made++;
    if (made % CALLS_BETWEEN_JOBS === 0) await s.runJobs();
    if (made % 1_000 === 0) {
      const seconds = Math.round((Date.now() - began) / 1000);
      console.log(`${made} calls in ${seconds} s: ${JSON.stringify(Object.fromEntries(calls.statuses))}`);
    }
  });
  // A failure depends on previous calls, so shrinking is useless.
  await fc.assert(property, { numRuns: CALLS, endOnFailure: true });
  await s.runJobs();
  expect(await databaseProblems(s.store.database.pool)).toEqual([]);
});
