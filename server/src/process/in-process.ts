import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.js";
import { UsageError } from "../config/usage-error.js";
import { isLocalOnly } from "../http/browser/session-cookie.js";
import type { Telemetry } from "../observability/telemetry/start.js";
import type { Arguments, CommandName, Outcome } from "../operator/commands.js";
import { verifyBackup } from "../store/backup/backup.js";
import { appendErasures, erasureListNames, erasureListOf } from "../store/backup/erasure-list.js";
import { restore } from "../store/backup/restore.js";
import { withoutServers } from "../store/connection/server-lock.js";
import { type OpenedStore, openStore } from "../store/open.js";
import { namingAway } from "../store/sample-servers/away.js";
import { erasures } from "../store/schema.js";
import { announceWaiting } from "./announce-waiting.js";
import { endProcess } from "./end-process.js";
import type { ServiceRole } from "./service.js";

/** Interval of the timer that keeps the process running. Any value works. */
const KEEP_ALIVE_MS = 3_600_000;

/** Disables the timeouts for backup and restore, because their duration depends on the number of rows and on the disk. */
const withoutTimeouts = (config: Config): Config => ({
  ...config,
  databaseStatementTimeoutMs: 0,
  databaseIdleTransactionTimeoutMs: 0,
});

/** @param say prints a line about the wait; a command writes its result to stdout */
const openAloud = (config: Config, say: (line: string) => void = console.log): Promise<OpenedStore> =>
  announceWaiting(
    config.databaseUrl === null
      ? `the embedded database in ${resolve(config.dataDir)}`
      : "the database of DATABASE_URL",
    () => openStore(config),
    { say },
  );

/**
 * Opens the database for commands in this process.
 * @param operator user who runs the commands, for the audit log
 */
export async function withCommands<T>(
  config: Config,
  operator: string,
  work: (run: (name: CommandName, args: Arguments) => Promise<Outcome>) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, "database"))) {
    console.error(
      `No service has run on the data folder ${resolve(config.dataDir)}; creating a new database. If your data is elsewhere, set DATA_DIR.`,
    );
  }
  const [store, { ownContext, systemClock }, { commands }] = await Promise.all([
    openStore(withoutTimeouts(config)),
    import("./own-context.js"),
    import("../operator/commands.js"),
  ]);
  try {
    return await work((name, args) =>
      namingAway(store.database, "the command needs its samples", () =>
        commands[name]({ ...ownContext(config, store, systemClock), operator }, args),
      ),
    );
  } finally {
    await store.close();
  }
}

/** Migrates the schema of the database. Needed if the database user of the service may not change the schema. */
export async function migrateOnly(config: Config): Promise<Outcome> {
  const store = await openAloud(withoutTimeouts(config), console.error);
  await store.close();
  return { applied: [...store.applied] };
}

/**
 * Checks that the list of erasures contains the erasures after the backup. Rejects a missing list, and a list that the service
 * has created on a different machine.
 * @param names names of the lists that belong to the backup; empty if it has none
 * @throws UsageError
 */
async function requireErasureList(list: string, names: readonly string[]): Promise<void> {
  const own = await erasureListNames(list);
  const isThere = existsSync(list);
  if (isThere && names.every((name) => own.includes(name))) return;
  throw new UsageError(
    `${
      isThere
        ? `The list of erasures ${list} does not belong to the database of the backup, but was created elsewhere`
        : `There is no list of erasures ${list}`
    }: the restore would include accounts that were erased after the backup. Copy the list of the machine on which they were erased to this path, or set ERASURE_LIST. If no account was erased, add --without-erasures. Nothing was restored.`,
  );
}

/**
 * Replaces the content of the database with a backup, and erases again people who were erased after
 * the backup.
 * @param withoutErasures whether to restore even if the list of erasures is missing or does not belong to the backup
 */
export async function restoreFrom(
  config: Config,
  file: string,
  { withoutErasures = false }: { withoutErasures?: boolean } = {},
): Promise<Outcome> {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
  const list = resolve(erasureListOf(config));
  const { serverKeys, erasureLists } = await verifyBackup(file);
  if (!withoutErasures) await requireErasureList(list, erasureLists);
  const store = await openAloud(withoutTimeouts(config), console.error);
  try {
    let rows = 0;
    const { queries } = store.database;
    const free = await withoutServers(store.database, async () => {
      // The restore removes the erasures in this database.
      await appendErasures(list, await queries.select().from(erasures));
      rows = await namingAway(store.database, "its samples could not be replaced. Nothing was restored", () =>
        restore(queries, file),
      );
    });
    if (!free) throw new UsageError("A server is running on this database; stop it first.");
    const [{ ownContext, systemClock }, { reapplyErasures }, { serverKeyId }] = await Promise.all([
      import("./own-context.js"),
      import("../domain/deletion/reapply.js"),
      import("../domain/secrets/secrets.js"),
    ]);
    const { listed, erased, waiting } = await reapplyErasures(ownContext(config, store, systemClock));
    const own = serverKeyId(store.serverKey);
    const isOther = serverKeys.length > 0 && !serverKeys.includes(own);
    return {
      file,
      rows,
      erasure_list: list,
      erasures_listed: listed,
      erased_again: erased,
      recordings_waiting: waiting,
      ...(isOther
        ? {
            server_keys: serverKeys,
            next: `The secrets of the backup require the server key ${serverKeys.join(" or ")}, but this process has ${own}. Set SERVER_KEY to the required key, or restore the file server.key. With another key, the webhooks of the backup cannot be called.`,
          }
        : {}),
    };
  } finally {
    await store.close();
  }
}

/** Reads a backup to its end. Needs no database. */
export async function verify(file: string): Promise<Outcome> {
  const { rows, serverKeys } = await verifyBackup(file);
  return { file, rows, complete: true, server_keys: serverKeys };
}

/** Starts the service and runs it until SIGTERM or SIGINT. */
export async function serve(
  config: Config,
  role: ServiceRole,
  demo: boolean,
  telemetry?: Telemetry,
): Promise<void> {
  if (config.databaseUrl === null && role !== "all") {
    throw new UsageError(
      `--role ${role} needs DATABASE_URL: only one process can use the embedded database, so that process must do all the work.`,
    );
  }
  if (role !== "worker" && config.port !== 0 && config.port === config.metricsPort) {
    throw new UsageError("METRICS_PORT: expected a port other than PORT, which the API uses.");
  }
  // Load the service while the database starts in its thread. Both take about the same time.
  const [store, { startService }, { ownContext, systemClock }] = await Promise.all([
    openAloud(config),
    import("./service.js"),
    import("./own-context.js"),
  ]);
  const service = await startService(config, store, role).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  telemetry?.attach(service.app.metrics, service.app.log);
  // Keep the process running. Without a port, only database connections keep it running, and all of them may be lost.
  setInterval(() => undefined, KEEP_ALIVE_MS);
  let isEnding = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, async () => {
      service.app.log.info({ signal }, "signal received");
      // Ctrl-C and a supervisor may send both signals.
      if (isEnding) return;
      isEnding = true;
      await endProcess({ config, service, store, telemetry });
    });
  }
  service.onSuperseded(async (reason) => {
    service.app.log.fatal({ reason: reason.message }, "ending: another release has migrated the database");
    console.error(reason.message);
    if (isEnding) return;
    isEnding = true;
    await endProcess({ config, service, store, telemetry }, () => process.exit(1));
  });
  if (service.url !== null) {
    const { baseUrl } = config;
    const address = baseUrl ?? service.url;
    console.log(
      `asi-server listens on ${service.url};${baseUrl === null ? "" : ` clients reach it at ${baseUrl};`} viewer: ${address}/; documentation: ${address}/api/docs/`,
    );
    if (isLocalOnly(config)) {
      console.log(
        "Browsers on this machine can sign in without TLS. For other browsers, set BASE_URL to the https address of the service.",
      );
    }
  }
  if (demo) {
    const { prepareDemo } = await import("./demo/demo.js");
    console.log(await prepareDemo(ownContext(config, store, systemClock), service.url ?? ""));
  }
}
