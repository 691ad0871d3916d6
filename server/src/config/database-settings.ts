import { boolean, integer, secret, sslMode, text, url } from "./setting-kinds.js";

/** Maximum timeout, because PostgreSQL stores timeouts as 32-bit integers. */
const MAX_TIMEOUT_MS = 2_147_483_647;

const postgresUrl = url("postgres:", "postgresql:");

/** Settings for the connections to PostgreSQL. */
export const databaseSettings = {
  databaseUrl: secret(
    postgresUrl("DATABASE_URL", "", "PostgreSQL server to use instead of the embedded database"),
  ),
  databaseDirectUrl: secret(
    postgresUrl(
      "DATABASE_DIRECT_URL",
      "",
      "Address of the database without the connection pooler of DATABASE_URL, for migrations and long-lived locks; required with PgBouncer in transaction mode",
    ),
  ),
  databaseReadUrl: secret(
    postgresUrl(
      "DATABASE_READ_URL",
      "",
      "A streaming replica of the database, for pages of raw data; the primary is used if the replica lags or is unreachable",
    ),
  ),
  databasePreparedStatements: boolean(
    "DATABASE_PREPARED_STATEMENTS",
    true,
    "Whether to use named prepared statements; false for a pooler that does not support them, such as PgBouncer before 1.21",
  ),
  databaseSslMode: sslMode(
    "PGSSLMODE",
    "disable",
    "disable, require, verify-ca or verify-full; sslmode in a URL takes precedence",
  ),
  databaseSslRootCert: text(
    "PGSSLROOTCERT",
    "",
    "File with the root certificates of the database servers; sslrootcert in a URL takes precedence; default: the certificates of Node.js",
  ),
  databasePoolSize: integer(2, 1000)(
    "DATABASE_POOL_SIZE",
    10,
    "Maximum number of connections of one process to PostgreSQL",
  ),
  databaseStatementTimeoutMs: integer(0, MAX_TIMEOUT_MS)(
    "DATABASE_STATEMENT_TIMEOUT_MS",
    60_000,
    "Time after which PostgreSQL ends a statement; 0: never",
  ),
  databaseLockTimeoutMs: integer(0, MAX_TIMEOUT_MS)(
    "DATABASE_LOCK_TIMEOUT_MS",
    10_000,
    "Time after which a statement of PostgreSQL stops waiting for a lock; 0: never",
  ),
  databaseIdleTransactionTimeoutMs: integer(0, MAX_TIMEOUT_MS)(
    "DATABASE_IDLE_TRANSACTION_TIMEOUT_MS",
    60_000,
    "Time for which a PostgreSQL transaction may be idle between two statements; 0: no limit",
  ),
} as const;
