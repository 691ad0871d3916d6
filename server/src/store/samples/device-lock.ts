import { samplesOf } from "../placement/sample-device.js";
import type { SqlClient } from "./sql-client.js";

/** Locks the samples of the device until the end of the transaction. Waits for other transactions that change them. */
export async function lockDeviceSamples(tx: SqlClient, deviceId: number): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('sample_chunks ' || $1::bigint, 0))", [
    samplesOf(deviceId),
  ]);
}
