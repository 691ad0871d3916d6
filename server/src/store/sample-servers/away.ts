import { UsageError } from "../../config/usage-error.js";
import type { Database } from "../connection/database.js";
import { databaseMessage } from "../connection/database-errors.js";
import { sampleServers } from "../placement/placement.js";

/** Message of postgres_fdw with the name of the foreign server. */
const NOT_REACHED = /could not connect to server "([^"]+)"/;

/**
 * Runs work that needs all sample servers.
 * @param consequence consequence of an unreachable server, as the end of a sentence
 * @throws UsageError with the name of the unreachable server
 */
export async function namingAway<T>(
  { direct }: Database,
  consequence: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [, name] = NOT_REACHED.exec(databaseMessage(error) ?? "") ?? [];
    if (name === undefined) throw error;
    const client = await direct.connect();
    try {
      const server = (await sampleServers(client)).find((one) => one.name === name);
      throw new UsageError(
        `The sample server ${server?.label ?? name} cannot be reached: ${consequence}. Start the server and repeat the command; asi-server samples servers lists all servers.`,
      );
    } finally {
      client.release();
    }
  }
}
