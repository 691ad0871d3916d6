/** Tests that for any input the response matches the OpenAPI document, and the database remains consistent. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { DocumentedCalls, mayEnd } from "./documented-calls.js";
import { databaseProblems } from "./invariants.js";
import { service } from "./service.js";

const isLong = process.env.TEST_ALL_HISTORIES === "1";

const RUNS = isLong ? 25 : 5;
/** Number of calls of each operation that may delete objects used by others. */
const ENDING_RUNS = isLong ? 8 : 3;

const s = await service();
const calls = await DocumentedCalls.of(s);

describe("any request gets a documented response, and leaves no orphan, no overlap of ownerships and no lost job", () => {
  afterAll(async () => {
    await s.runJobs();
    expect(await databaseProblems(s.store.database.pool)).toEqual([]);
  });

  it("DELETE is among the methods tried", () => {
    expect(calls.operations.filter(({ method }) => method === "DELETE").length).toBeGreaterThan(6);
  });

  it.each(calls.operations)("$method $path", { timeout: 120_000 }, async (operation) => {
    await calls.scene();
    const property = fc.asyncProperty(calls.inputs(operation), (sent) => calls.call(operation, sent));
    await fc.assert(property, { numRuns: mayEnd(operation) ? ENDING_RUNS : RUNS });
  });
});
