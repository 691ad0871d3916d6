/** Tests that the number of deliveries of a webhook is limited. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { MAX_DELIVERIES } from "../src/domain/webhooks/delivery-limits.js";
import { applyRetention } from "../src/jobs/retention.js";
import { removeSurplusDeliveries } from "../src/jobs/surplus-deliveries.js";
import { queriesOf } from "../src/store/connection/database.js";
import { webhookDeliveries } from "../src/store/schema.js";
import { startService } from "./service.js";

it("the newest 20,000 deliveries of a webhook are kept, and older ones only while they wait", async () => {
  const s = await startService();
  const { queries } = s.store.database;
  const add = (webhook: number, count: number) =>
    queries.execute(sql`
      INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, created_at)
      SELECT 'msg_' || ${webhook}::int || '_' || n, ${webhook}, 'http://127.0.0.1:9/', 'sealed', 'activity-updated', '{}',
        (ARRAY['pending', 'retrying', 'failed', 'delivered'])[least(n, 3 + n % 2)], ${s.clock.now().toISOString()}
      FROM generate_series(1, ${count}::int) AS n`);
  await queries.delete(webhookDeliveries);
  await add(7, 22_500);
  await add(8, 20_000);
  await add(9, 20_001);
  let removed = 0;
  await applyRetention(s.ctx, {
    onRemoved: (kind, count) => {
      if (kind === "webhook_deliveries") removed += count;
    },
  });
  const { rows } = await queries.execute(sql`
    SELECT webhook_id::int AS webhook, state IN ('pending', 'retrying') AS waits, count(*)::int,
      min(split_part(message_id, '_', 3)::int) AS first
    FROM webhook_deliveries GROUP BY 1, 2 ORDER BY 1, 2`);
  expect(rows).toEqual([
    { webhook: 7, waits: false, count: 20_000, first: 2_501 },
    { webhook: 7, waits: true, count: 2, first: 1 },
    { webhook: 8, waits: false, count: 19_998, first: 3 },
    { webhook: 8, waits: true, count: 2, first: 1 },
    { webhook: 9, waits: false, count: 19_999, first: 3 },
    { webhook: 9, waits: true, count: 2, first: 1 },
  ]);
  expect(removed).toBe(2_498);
});

it("a statement examines several webhooks", async () => {
  const s = await startService();
  const { queries, pool } = s.store.database;
  const add = (webhook: ReturnType<typeof sql>, count: number) =>
    queries.execute(sql`
      INSERT INTO webhook_deliveries (message_id, webhook_id, url, secret_token, event, data, state, created_at)
      SELECT gen_random_uuid(), ${webhook}, 'http://127.0.0.1:9/', 'sealed', 'activity-updated', '{}', 'delivered', now()
      FROM generate_series(1, ${count}::int) AS n`);
  await queries.delete(webhookDeliveries);
  await add(sql`n`, 13);
  await add(sql`7`, MAX_DELIVERIES + 2);
  const statements: string[] = [];
  const logged = queriesOf(pool, { logQuery: (text) => statements.push(text) });
  await removeSurplusDeliveries({ ...s.ctx, queries: logged }, undefined, () => undefined);
  expect(await queries.$count(webhookDeliveries)).toBe(MAX_DELIVERIES + 12);
  // Three pages, the end, and one removal.
  expect(statements).toHaveLength(5);
});
