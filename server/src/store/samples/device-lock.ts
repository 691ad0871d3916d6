import type { SqlClient } from "./sql-client.js";

/** Waits for all other transactions that change samples of the device, and makes later ones wait for this one. */
export async function lockDeviceSamples(tx: SqlClient, deviceId: number): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('sample_chunks ' || $1::bigint, 0))", [
    deviceId,
  ]);
}
