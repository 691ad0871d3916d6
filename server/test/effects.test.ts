/** Tests the effects of a change that `domain/change/effects.ts` lists. */
import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { auditLog, jobs, timeframes, webhookDeliveries, webhooks } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";
import { Team } from "./team.js";

// Use a separate database, because this test leaves jobs unfinished.
let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore(), { webhookAllowPrivate: true });
  return async () => {
    await s.stop();
    await s.store.close();
  };
});

/** Creates a time frame whose activity has a webhook, and counts its audit rows, deliveries and computations. */
async function watchedTimeframe() {
  const { queries } = s.store.database;
  const team = await Team.of(s);
  await queries.insert(webhooks).values({
    activityId: team.activity,
    webhookUrl: "http://127.0.0.1:9/",
    secretToken: "sealed",
    activityEvents: true,
    timeframesEvents: true,
    createdAt: new Date(),
  });
  const { body } = await team.create();
  const id: number = body.id;
  const [row] = await queries.select().from(timeframes).where(eq(timeframes.id, id));
  if (row === undefined) throw new Error("No time frame");
  const followed = async () => ({
    audited: await queries.$count(auditLog, and(eq(auditLog.entity, "timeframe"), eq(auditLog.entityId, id))),
    delivered: (await queries.select().from(webhookDeliveries)).filter(({ data }) => data.timeframe_id === id)
      .length,
    computed: await queries.$count(jobs, and(eq(jobs.kind, "compute"), eq(jobs.uniqueKey, String(id)))),
  });
  return { row, followed };
}

describe("the effects of a change", () => {
  it("are committed with it: the audit entry, the webhook deliveries and the computation", async () => {
    const { followed } = await watchedTimeframe();
    expect(await followed()).toEqual({ audited: 1, delivered: 1, computed: 1 });
  });

  it("are rolled back with it", async () => {
    const { row, followed } = await watchedTimeframe();
    const before = await followed();
    const change = transact(s.ctx, "test", async (unit) => {
      await unit.announce("timeframeUpdated", { before: row, after: row });
      const { queries } = unit;
      expect(await queries.$count(auditLog, eq(auditLog.operation, "test"))).toBe(1);
      throw new Error("Refused after all");
    });
    await expect(change).rejects.toThrow("Refused after all");
    expect(await followed()).toEqual(before);
  });
});
