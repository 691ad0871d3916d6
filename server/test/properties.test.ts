/** For any input, the response matches the OpenAPI document, and the database remains consistent. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentedCalls, mayEnd } from "./documented-calls.js";
import { databaseProblems } from "./invariants.js";
import { newStore, service, TestService } from "./service.js";

const isLong = process.env.TEST_ALL_HISTORIES === "1";

const RUNS = isLong ? 25 : 8;
/** Number of calls of operations that may delete objects used by others. */
const ENDING_RUNS = isLong ? 8 : 4;

const calls = await DocumentedCalls.of(await service());

describe("any request has a documented response", () => {
  it("DELETE is among the methods tried", () => {
    expect(calls.operations.filter(({ method }) => method === "DELETE").length).toBeGreaterThan(6);
  });

  it.each(calls.operations)("$method $path", { timeout: 120_000 }, async (operation) => {
    await calls.scene();
    const property = fc.asyncProperty(calls.inputs(operation), (sent) => calls.call(operation, sent));
    await fc.assert(property, { numRuns: mayEnd(operation) ? ENDING_RUNS : RUNS });
  });
});

describe("after calls to every operation", () => {
  it("the database contains no orphaned rows, no overlapping ownerships and no lost jobs", {
    timeout: 240_000,
  }, async () => {
    const s = await TestService.start(await newStore());
    const own = await DocumentedCalls.of(s);
    for (const operation of own.operations) {
      const property = fc.asyncProperty(own.inputs(operation), (sent) => own.call(operation, sent));
      await fc.assert(property, { numRuns: 2 });
    }
    await s.runJobs();
    expect(await databaseProblems(s.store.database.pool)).toEqual([]);
  });
});
