import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.js";
import setUpPostgres from "./postgres-setup.js";

/** Number of sample servers, in addition to the main server. */
const SAMPLE_SERVERS = 3;

/** Starts one PostgreSQL server for the databases of the whole run, and other servers for their samples. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stopFirst = await setUpPostgres(project);
  const servers = await Promise.all(Array.from({ length: SAMPLE_SERVERS }, () => startPostgres()));
  project.provide(
    "sampleServerUrls",
    servers.map(({ url }) => `${url}postgres`),
  );
  return async () => {
    for (const server of servers) await server.stop();
    await stopFirst();
  };
}
