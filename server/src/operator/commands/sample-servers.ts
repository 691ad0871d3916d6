import { UsageError } from "../../config/usage-error.js";
import { abandonedCopies, type Connection, sampleServers } from "../../store/placement/placement.js";
import { readServers, type ServerAddress } from "../../store/placement/server-address.js";
import {
  citusWorkers,
  DISTRIBUTE,
  distributeOnCitus,
  GATHER,
  gatherFromCitus,
  isOnCitus,
  requireCitus,
} from "../../store/sample-servers/citus.js";
import {
  cancelMove,
  moveSamples,
  moveUnderWay,
  nameOfCopy,
  onServer,
  planMove,
} from "../../store/sample-servers/move.js";
import { type Arguments, flag, optionalText } from "./arguments.js";
import type { OperatorContext, Outcome } from "./outcome.js";

/** Interval of the progress messages, ms. */
const PROGRESS_MS = 5_000;

/** Operator commands for samples on several PostgreSQL servers. */
export const sampleServerCommands = {
  async "samples distribute"(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
    if (flag(args, "citus")) return distributeByCitus(ctx, args);
    const file = optionalText(args, "servers");
    if (file === undefined)
      throw new UsageError("Specify the destination of the samples: --servers FILE or --citus.");
    return move(ctx, await readServers(file), args);
  },

  async "samples gather"(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
    const gathered = await withClient(ctx, async (client) => {
      if (flag(args, "dryRun"))
        return (await isOnCitus(client)) ? { changed: false, statements: GATHER } : undefined;
      return (await gatherFromCitus(client)) ? { changed: true } : undefined;
    });
    return gathered ?? move(ctx, [], args);
  },

  async "samples cancel-move"(ctx: OperatorContext): Promise<Outcome> {
    return withClient(ctx, async (client) => {
      const { cancelled, tablesLeft } = await cancelMove(client);
      return { cancelled, ...leftOver(tablesLeft) };
    });
  },

  async "samples servers"(ctx: OperatorContext): Promise<Outcome> {
    return withClient(ctx, async (client) => {
      const workers = await citusWorkers(client);
      if (workers.length > 0) return { servers: workers, move: null };
      const servers = [];
      for (const { label, url, table } of await sampleServers(client)) {
        const size = "SELECT pg_total_relation_size($1::regclass)::float8 AS bytes";
        const state = await onServer(url, async (remote) => {
          const { rows } = await remote.query<{ bytes: number }>(size, [table]);
          return { answers: true, bytes: rows[0]?.bytes };
        }).catch((error: Error) => ({ answers: false, problem: error.message }));
        servers.push({ server: label, ...state });
      }
      const left = (await abandonedCopies(client)).map(nameOfCopy);
      return { servers, move: (await moveUnderWay(client)) ?? null, ...leftOver(left) };
    });
  },
};

async function distributeByCitus(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
  if (optionalText(args, "servers") !== undefined) {
    throw new UsageError("Citus uses its own workers. Specify either --citus or --servers.");
  }
  return withClient(ctx, async (client) => {
    if (flag(args, "dryRun")) {
      await requireCitus(client);
      return { changed: false, statements: (await isOnCitus(client)) ? [] : DISTRIBUTE };
    }
    return { changed: await distributeOnCitus(client), servers: await citusWorkers(client) };
  });
}

/** Returns `tables_left`, the unused copies of samples that the servers still contain, if there are any. */
const leftOver = (tables: readonly string[]) => (tables.length === 0 ? {} : { tables_left: tables });

async function move(
  ctx: OperatorContext,
  servers: readonly ServerAddress[],
  args: Arguments,
): Promise<Outcome> {
  return withClient(ctx, async (client) => {
    if (flag(args, "dryRun")) return { changed: false, ...(await planMove(client, servers)) };
    let printedAt = performance.now();
    const { copied, tablesLeft, unanalyzed } = await moveSamples(
      client,
      servers,
      ({ copied: so, chunks }) => {
        if (performance.now() - printedAt < PROGRESS_MS) return;
        printedAt = performance.now();
        console.error(`copied ${so} of about ${chunks} chunks`);
      },
    );
    return {
      servers: servers.map(({ label }) => label),
      chunks_copied: copied,
      ...leftOver(tablesLeft),
      ...(unanalyzed === null ? {} : { note: `Run ANALYZE sample_chunks in the database: ${unanalyzed}` }),
    };
  });
}

/** @throws UsageError for the embedded database */
async function withClient<T>(
  { database }: OperatorContext,
  work: (client: Connection) => Promise<T>,
): Promise<T> {
  if (database.kind === "embedded") {
    throw new UsageError("Samples can be on several servers only if DATABASE_URL is set.");
  }
  const client = await database.direct.connect();
  try {
    return await work(client);
  } finally {
    client.release(true);
  }
}
