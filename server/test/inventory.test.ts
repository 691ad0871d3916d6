import { describe, expect, it } from "vitest";
import { implemented, rows } from "./inventory.js";
import { service } from "./service.js";

const due = rows.filter(([, , , group]) => implemented.has(group));

/** Other tests call the operations: `access.test.ts` as every kind of caller, `properties.test.ts` with random values. */
describe("the inventory of operations", () => {
  it("has a route for each row, and a row for each route", async () => {
    const { operations } = (await service()).service.app;
    const routed = operations.map(({ method, path }) => `${method} ${path}`);
    const promised = new Set(rows.map(([, method, path]) => `${method} ${path}`));
    expect(routed.filter((operation) => !promised.has(operation))).toEqual([]);
    const ours = due.filter(([row]) => !row.startsWith("X")).map(([, method, path]) => `${method} ${path}`);
    expect(ours.filter((operation) => !routed.includes(operation))).toEqual([]);
  });
});
