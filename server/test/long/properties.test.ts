/** Thousands of calls of every operation, right and wrong, on one database: no answer is a 5xx, and the database stays whole. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { DocumentedCalls, mayEnd } from "../documented-calls.js";
import { databaseProblems } from "../invariants.js";
import { service } from "../service.js";

/** So many that all of the long tests take minutes; more of them find more. */
const CALLS = Number(process.env.PROPERTY_CALLS ?? 2_000);

/** A call that ends a person or a thing is followed by the making of new ones, which takes as long as hundreds of calls. */
const WEIGHT = { ending: 1, other: 12 };

/** Jobs are done in between, as they come. */
const CALLS_BETWEEN_JOBS = 500;

it(`${CALLS} calls give no 5xx and leave the database whole`, { timeout: 14_400_000 }, async () => {
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
  // What has gone wrong depends on the calls before, so there is nothing to be gained by trying smaller ones.
  await fc.assert(property, { numRuns: CALLS, endOnFailure: true });
  await s.runJobs();
  expect(await databaseProblems(s.store.database.pool)).toEqual([]);
});
