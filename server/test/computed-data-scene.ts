import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import {
  chunkTables,
  deleteStoredBefore,
  listStoredBefore,
  sqlClientOf,
} from "../src/store/samples/index.js";
import { computedData, jobs } from "../src/store/schema.js";
import { withSharedService } from "./file-service.js";
import type { TestService } from "./service.js";
import type { Team } from "./team.js";

/** Functions for tests of time frames, their computed data and its jobs. */
function computedDataOn(s: TestService) {
  const stored = async (timeframe: number) =>
    (
      await s.store.database.queries
        .select()
        .from(computedData)
        .where(eq(computedData.timeframeId, timeframe))
    )[0];

  /** Returns the waiting jobs of a time frame. */
  const waiting = async (timeframe: number) =>
    (
      await s.store.database.queries
        .select()
        .from(jobs)
        .where(eq(jobs.uniqueKey, String(timeframe)))
    ).filter(({ kind, state }) => kind === "compute" && state === "PENDING");

  const patch = (team: Team, timeframe: number, json: unknown) =>
    s.send("PATCH", `/api/v1/timeframes/${timeframe}/`, { token: team.manager.token, json });

  /** Removes all samples of the device, as retention does. */
  async function retention({ device }: Team): Promise<void> {
    const before = new Date(Date.now() + 60_000);
    const client = sqlClientOf(s.ctx.queries);
    const buckets: number[] = [];
    for (const table of await chunkTables(client)) {
      buckets.push(...((await listStoredBefore(client, table, before, 1_000_000)).get(device.id) ?? []));
    }
    await transact(s.ctx, "test", async ({ queries, announce }) => {
      const removed = await deleteStoredBefore(sqlClientOf(queries), device.id, buckets, before);
      expect(removed).not.toEqual([]);
      await announce("samplesExpired", { deviceId: device.id, removed, count: removed.length });
    });
  }

  return { s, stored, waiting, patch, retention };
}

/** Creates an `it` with the shared service and functions that read its database. */
export const withComputedData = () =>
  withSharedService().extend("computed", { scope: "file" }, ({ service }) => computedDataOn(service));
