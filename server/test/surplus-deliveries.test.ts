/** Tests that the number of ended deliveries of a webhook is limited. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { MAX_DELIVERIES } from "../src/domain/webhooks/delivery-limits.js";
import { removeSurplusDeliveries } from "../src/jobs/surplus-deliveries.js";
import { queriesOf } from "../src/store/connection/database.js";
import { webhookDeliveries } from "../src/store/schema.js";
import { startService } from "./service.js";

it("older deliveries above the limit are removed; a statement examines a hundred webhooks", async () => {
  const s = await startService();
  const { queries, pool } = s.store.database;
  const add = (webhook: ReturnType<typeof sql>, count: number) =>
    queries.execute(sql`
      INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, created_at)
      SELECT gen_random_uuid(), ${webhook}, 'http://127.0.0.1:9/', 'sealed', 'activity-updated', '{}', 'delivered', now()
      FROM generate_series(1, ${count}::int) AS n`);
  await add(sql`n`, 250);
  await add(sql`120`, MAX_DELIVERIES + 2);
  const statements: string[] = [];
  const logged = queriesOf(pool, { logQuery: (text) => statements.push(text) });
  let removed = 0;
  await removeSurplusDeliveries({ ...s.ctx, queries: logged }, undefined, (count) => {
    removed += count;
  });
  expect(removed).toBe(3);
  expect(await queries.$count(webhookDeliveries, sql`webhook_id = 120`)).toBe(MAX_DELIVERIES);
  expect(await queries.$count(webhookDeliveries)).toBe(MAX_DELIVERIES + 249);
  // Three pages, the end, and one removal.
  expect(statements).toHaveLength(5);
});
