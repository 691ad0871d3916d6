import { sql } from "drizzle-orm";
import type { Queries } from "../src/store/connection/database.js";
import type { Party } from "./scene.js";

/** Maximum number of ownerships for an account: `QUOTA_OWNERSHIPS` minus the ownerships of the scene. */
const COUNT = 9_990;

/**
 * Start of the first ownership, before the party took the device. Each ownership lasts a minute and
 * is followed by a minute without an owner.
 */
export const HISTORY_MS = Date.UTC(2019, 0, 1);

/** Total duration in hours. */
export const HISTORY_HOURS = Math.ceil((COUNT * 2) / 60);

/**
 * Adds a long history to a party, as after years of use: ownerships of its device, and consecutive and overlapping time
 * frames of ten minutes. No service may be running.
 */
export async function giveHistory(queries: Queries, party: Party): Promise<void> {
  const begin = new Date(HISTORY_MS).toISOString();
  await queries.execute(sql`
    INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
    SELECT ${party.device}, ${party.id}, ${begin}::timestamptz + n * interval '2 min', ${begin}::timestamptz + n * interval '2 min' + interval '1 min'
    FROM generate_series(0, ${COUNT - 1}) AS n`);
  await queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT ${begin}::timestamptz + n * interval '2 min', ${begin}::timestamptz + n * interval '2 min' + interval '10 min', '{}',
      device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at
    FROM timeframes, generate_series(1, ${COUNT}) AS n WHERE id = ${party.timeframe}`);
}
