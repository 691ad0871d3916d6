/** Tests the search for the time frames of a device that overlap given times. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { overlapping } from "../src/domain/sample-ownership/overlapping-frames.js";
import { type Interval, instantsOf } from "../src/store/samples/index.js";
import { timeframes } from "../src/store/schema.js";
import { service } from "./service.js";
import { Team } from "./team.js";

const DAY_MS = 86_400_000;
const BEGIN_MS = Date.parse("2024-06-01T10:00:00Z");

interface Node {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

const rowsRead = (node: Node): number =>
  (node["Relation Name"] === "timeframes"
    ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
    : 0) + (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);

const fromDay = (day: number, days: number): Interval => ({
  startMs: BEGIN_MS + day * DAY_MS,
  stopMs: BEGIN_MS + (day + days) * DAY_MS,
});

it("reads the time frames near the times, and none of the thousands between them", async () => {
  const s = await service();
  const { queries } = s.store.database;
  const team = await Team.of(s);
  const { id } = (await team.create()).body;
  // One time frame every hour, each of up to seven days.
  await queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT start_time + n * interval '1 h', start_time + n * interval '1 h' + (1 + n % 8) * interval '20 h', params, device_id, activity_id,
      athlete_id, owner_id, json_schema_id, assigned_at
    FROM timeframes, generate_series(1, 4799) AS n WHERE id = ${id}`);
  await queries.execute(sql`ANALYZE timeframes`);
  const device = team.device.id;
  for (const times of [
    [fromDay(0, 0), fromDay(190, 0)],
    [fromDay(3, 1), fromDay(5, 0.01), fromDay(80, 2), fromDay(199.9, 30)],
    [fromDay(-1, 0)],
    [],
  ]) {
    const given = instantsOf(times);
    const found = sql`SELECT ${timeframes.id}::int AS id FROM ${overlapping(device, given)} ORDER BY 1`;
    const { rows } = await queries.execute(found);
    const each = await queries.execute(sql`
      SELECT id::int FROM timeframes WHERE device_id = ${device}
        AND tstzrange(start_time, end_time, '[]') && ${given} ORDER BY id`);
    expect(rows).toEqual(each.rows);
    const explained = await queries.execute<{ "QUERY PLAN": [{ Plan: Node }] }>(
      sql`EXPLAIN (ANALYZE, FORMAT JSON) ${found}`,
    );
    for (const row of explained.rows) expect(rowsRead(row["QUERY PLAN"][0].Plan)).toBeLessThan(1_500);
  }
});
