import { availableParallelism } from "node:os";
import { databaseSettings } from "./database-settings.js";
import { limitSettings } from "./limit-settings.js";
import {
  baseAddress,
  boolean,
  count,
  integer,
  key,
  level,
  networks,
  origins,
  port,
  type Setting,
  secret,
  text,
  url,
} from "./setting-kinds.js";
import { signInSettings } from "./sign-in-settings.js";

/** All settings of the service, in the order in which the documents list them. */
export const settings = {
  host: text("HOST", "127.0.0.1", "Address to listen on"),
  port: port("PORT", 8080, "Port of the API; 0 for any free port"),
  metricsPort: port("METRICS_PORT", 9464, "Port of /metrics, on the same address; 0 to disable it"),
  baseUrl: baseAddress(
    "BASE_URL",
    "",
    "Public address of the API, including the path under which a proxy serves it; default http://HOST:PORT",
  ),
  corsOrigins: origins(
    "CORS_ORIGINS",
    "",
    "Origins whose pages may use the API in browsers, separated by commas; *: all; default: none",
  ),
  dataDir: text(
    "DATA_DIR",
    "./asi-data",
    "Folder for the embedded database, for emails without SMTP_URL, and for the operator socket",
  ),
  pageDir: text(
    "PAGE_DIR",
    "",
    "Folder of the page that is served at /; default: the page that was built with the service",
  ),
  ...databaseSettings,
  serverKey: secret(
    key(
      "SERVER_KEY",
      "",
      "Key of 32 bytes in base64 that encrypts webhook secrets and queued emails; required with several machines; default: a file in DATA_DIR",
    ),
  ),
  erasureList: text(
    "ERASURE_LIST",
    "",
    "File with the hashes of erased accounts, which are erased again after a restore; keep it outside the backup; default: erasures.jsonl in DATA_DIR",
  ),
  eraseSamples: boolean(
    "ERASE_SAMPLES",
    false,
    "Whether erasing an athlete over the API also removes the samples of the athlete's time frames; operators use the option --samples",
  ),
  smtpUrl: secret(
    url("smtp:", "smtps:")("SMTP_URL", "", "Mail server; without it, emails are written to DATA_DIR/mail"),
  ),
  mailFrom: text("MAIL_FROM", "asi-server <no-reply@localhost>", "Sender of emails"),
  logLevel: level("LOG_LEVEL", "info", "trace, debug, info, warn, error, fatal or silent"),
  otlpEndpoint: url("http:", "https:")(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "",
    "OpenTelemetry collector that gets traces and metrics, such as http://127.0.0.1:4318; without it, no telemetry is recorded; other OTEL_ variables: docs/observability.md",
  ),
  ...signInSettings,
  trustProxy: networks(
    "TRUST_PROXY",
    "",
    "Addresses or networks of proxies whose X-Forwarded-For is trusted, separated by commas",
  ),
  shutdownTimeoutMs: count(
    "SHUTDOWN_TIMEOUT_MS",
    25_000,
    "Time for requests, jobs and operator commands to finish after SIGTERM. The rest of the shutdown can take 10 s more, and closing the embedded database 60 s, before the process exits with status 1",
  ),
  maxConnections: count(
    "MAX_CONNECTIONS",
    10_000,
    "Maximum number of open connections of one process at each address where it listens, at most a quarter of them from one client address; others are closed immediately",
  ),
  requestTimeoutMs: count("REQUEST_TIMEOUT_MS", 60_000, "Time within which a request must arrive"),
  uploadTimeoutMs: count(
    "UPLOAD_TIMEOUT_MS",
    600_000,
    "Time within which a request with a recording must arrive",
  ),
  transferMinBytesPerSecond: count(
    "TRANSFER_MIN_BYTES_PER_SECOND",
    16 * 1024,
    "Minimum rate at which a client must send a large body and read a response; a slower client is disconnected",
  ),
  transferGraceMs: integer(8, 3_600_000)(
    "TRANSFER_GRACE_MS",
    10_000,
    "Time by which a client may fall behind the minimum rate; six times as long if it was faster before",
  ),
  bodyMemoryBytes: count(
    "BODY_MEMORY_BYTES",
    128 * 1024 * 1024,
    "Memory for request bodies of one process, from their arrival to the end of the response; recordings of conversions are not counted",
  ),
  bodyMemoryPerCallerBytes: count(
    "BODY_MEMORY_PER_CALLER_BYTES",
    48 * 1024 * 1024,
    "Part of BODY_MEMORY_BYTES that one user or one unauthenticated address can use; all users of one address together can use half of the memory",
  ),
  responseMemoryBytes: integer(64 * 1024 * 1024, 1_000_000_000_000)(
    "RESPONSE_MEMORY_BYTES",
    256 * 1024 * 1024,
    "Memory for response bodies of one process, until their clients have read them; a quarter is reserved for small bodies",
  ),
  responseMemoryPerCallerBytes: integer(32 * 1024 * 1024, 1_000_000_000_000)(
    "RESPONSE_MEMORY_PER_CALLER_BYTES",
    64 * 1024 * 1024,
    "Part of RESPONSE_MEMORY_BYTES that one user or one unauthenticated address can use; all users of one address together can use twice as much",
  ),
  pageMaxBytes: integer(16 * 1024 * 1024, 1_000_000_000_000)(
    "PAGE_MAX_BYTES",
    1024 ** 3,
    "Maximum size of the large values (json, params, pictures) on one page of a list; a larger page is refused with the number of results that fit",
  ),
  jobPollMs: count("JOB_POLL_MS", 1_000, "Interval at which a worker polls for jobs of other processes"),
  jobLeaseMs: integer(1_000, 3_600_000)(
    "JOB_LEASE_MS",
    15_000,
    "Time after which jobs of a dead worker are returned to the queue",
  ),
  jobConcurrency: integer(1, 64)(
    "JOB_CONCURRENCY",
    2,
    "Maximum number of concurrent jobs of each kind in one process: bulk loads, computations, emails",
  ),
  computeThreads: integer(1, 64)(
    "COMPUTE_THREADS",
    Math.max(2, availableParallelism() - 1),
    "Number of threads that compute the data of time frames; one account can use all but one; default: the number of processors minus one, at least 2",
  ),
  grantManagedAthletes: boolean(
    "GRANT_MANAGED_ATHLETES",
    false,
    "Whether every new manager may create managed athletes",
  ),
  rawRetentionDays: count("RAW_RETENTION_DAYS", 730, "Days for which samples are kept after they are stored"),
  auditRetentionDays: count("AUDIT_RETENTION_DAYS", 730, "Days for which audit rows are kept"),
  auditBytesPerDay: integer(0, Number.MAX_SAFE_INTEGER)(
    "AUDIT_BYTES_PER_DAY",
    16 * 1024 * 1024,
    "Maximum size in bytes of the audit rows that the changes and downloads of one account add in a day (UTC) in one process; a single row counts the changes and downloads above this size. The changes by jobs of the account have a second limit of this size. Operator commands always have separate rows",
  ),
  jobRetentionDays: count(
    "JOB_RETENTION_DAYS",
    90,
    "Days for which finished jobs and webhook deliveries are kept",
  ),
  changesRetentionDays: count(
    "CHANGES_RETENTION_DAYS",
    90,
    "Days for which changes are kept; a client with an older cursor must read everything again",
  ),
  changesPerAccount: count(
    "CHANGES_PER_ACCOUNT",
    200_000,
    "Number of changes that are kept for one account; older changes are removed before CHANGES_RETENTION_DAYS",
  ),
  retentionIntervalMs: integer(1_000, 86_400_000)(
    "RETENTION_INTERVAL_MS",
    3_600_000,
    "Interval at which a worker removes expired data",
  ),
  rawDataCacheBytes: integer(0, 1_000_000_000_000)(
    "RAW_DATA_CACHE_BYTES",
    32 * 1024 * 1024,
    "Memory for the cache of raw data pages of the last 120 s; 0: no cache",
  ),
  livePollMs: integer(10, 60_000)(
    "LIVE_POLL_MS",
    1_000,
    "Interval at which a live connection checks for new samples and for the permission of its user",
  ),
  liveHeartbeatMs: integer(1, 3_600_000)(
    "LIVE_HEARTBEAT_MS",
    15_000,
    "Time without new samples after which a live connection gets a comment; must be less than the timeout of proxies",
  ),
  bulkLoadEnabled: boolean(
    "BULK_LOAD_ENABLED",
    true,
    "Whether uploads and the deprecated bulk load are available; if false, they return 410",
  ),
  bulkLoadMaxBytes: count(
    "BULK_LOAD_MAX_BYTES",
    32 * 1024 * 1024,
    "Maximum decoded size of a recording in an upload or a bulk load",
  ),
  bulkLoadMaxChunks: count(
    "BULK_LOAD_MAX_CHUNKS",
    5_000,
    "Maximum number of five-minute periods with samples in a bulk load; each becomes a row of the database",
  ),
  bulkLoadMaxAheadMs: integer(0, 86_400_000)(
    "BULK_LOAD_MAX_AHEAD_MS",
    5 * 60_000,
    "Maximum time by which samples may be ahead of the server's clock; a bulk load refuses later samples",
  ),
  streamMaxBytes: count(
    "STREAM_MAX_BYTES",
    128 * 1024 * 1024,
    "Maximum size of a recording that a gateway streams. The bytes are in the database until the recording ends",
  ),
  streamStoreMs: integer(10, 60_000)(
    "STREAM_STORE_MS",
    500,
    "Interval at which the samples of a stream are stored",
  ),
  streamIdleMs: integer(100, 3_600_000)(
    "STREAM_IDLE_MS",
    60_000,
    "Time without bytes after which a stream is closed",
  ),
  convertMaxBytes: count(
    "CONVERT_MAX_BYTES",
    256 * 1024 * 1024,
    "Maximum size of a recording in a conversion",
  ),
  convertConcurrency: integer(1, 64)(
    "CONVERT_CONCURRENCY",
    8,
    "Maximum number of concurrent conversions, uploads and bulk load requests in one process",
  ),
  convertConcurrencyPerUser: integer(1, 64)(
    "CONVERT_CONCURRENCY_PER_USER",
    1,
    "Maximum number of concurrent conversions and bulk loads of one user; a conversion counts until its CSV is complete",
  ),
  convertMemoryBytes: integer(0, 1_000_000_000_000)(
    "CONVERT_MEMORY_BYTES",
    16 * 1024 * 1024,
    "Memory for converted files of at most 4 MiB until their clients have read them; other files are on disk; 0: all files are on disk",
  ),
  convertDiskBytes: integer(1, Number.MAX_SAFE_INTEGER)(
    "CONVERT_DISK_BYTES",
    8 * 1024 ** 3,
    "Disk space for converted files until their clients have read them; all users of one address can use half of this space, and one user a quarter",
  ),
  webhookAllowPrivate: boolean(
    "WEBHOOK_ALLOW_PRIVATE",
    false,
    "Whether webhooks may call private addresses (development); link-local and cloud metadata addresses are never called",
  ),
  webhookConcurrency: integer(1, 1000)(
    "WEBHOOK_CONCURRENCY",
    32,
    "Maximum number of concurrent webhook calls of one process",
  ),
  webhookConcurrencyPerHost: integer(1, 1000)(
    "WEBHOOK_CONCURRENCY_PER_HOST",
    4,
    "Maximum number of concurrent webhook calls to one host and port",
  ),
  webhookMaxPending: integer(1, 10_000_000)(
    "WEBHOOK_MAX_PENDING",
    10_000,
    "Maximum number of waiting webhook calls of one account; further events are not delivered, and a failed delivery of each webhook counts them",
  ),
  webhookBytesPerDay: integer(0, Number.MAX_SAFE_INTEGER)(
    "WEBHOOK_BYTES_PER_DAY",
    128 * 1024 * 1024,
    "Maximum size in bytes of the webhook calls that the events of one account add in a day (UTC) in one process; each call counts as at least 2 KiB. Further events are treated like those above WEBHOOK_MAX_PENDING",
  ),
  activityMaxTimeframes: integer(1, 100_000)(
    "ACTIVITY_MAX_TIMEFRAMES",
    500,
    "Maximum number of time frames of one activity",
  ),
  webhookTimeoutMs: integer(1, 45_000)(
    "WEBHOOK_TIMEOUT_MS",
    15_000,
    "Time within which the receiver of a webhook must respond",
  ),
  webhookConnectTimeoutMs: integer(1, 45_000)(
    "WEBHOOK_CONNECT_TIMEOUT_MS",
    5_000,
    "Part of WEBHOOK_TIMEOUT_MS that is available for connecting",
  ),
  ...limitSettings,
} as const satisfies Record<string, Setting<unknown>>;
