import { UsageError } from "../../config/usage-error.js";
import type { Connection } from "../placement/placement.js";

/** Oldest tested PostgreSQL version. */
export const OLDEST_MAJOR = 15;

/** First version with the option `analyze_sampling` of postgres_fdw. Without it, ANALYZE transfers all samples of a server. */
export const MAJOR_FOR_SAMPLE_SERVERS = 16;

/**
 * @param what beginning of the message: the feature that needs the version
 * @throws UsageError when the server is older
 */
export async function requireMajor(client: Connection, major: number, what: string): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    "SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version",
  );
  const [server] = rows;
  if (server === undefined || server.number >= major * 10_000) return;
  throw new UsageError(
    `${what} requires PostgreSQL ${major} or later, but the server is PostgreSQL ${server.version}. Upgrade the server first.`,
  );
}
