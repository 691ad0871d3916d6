import type { Kind } from "./downloads.js";
import type { IntegrationFigures } from "./integration.js";
import type { Target } from "./target.js";

const TWO_MILLION = "2 million samples";

/** Returns the targets for a download: 2 million samples in 2 s, and the memory that this takes. */
function download(what: string, kind: Kind): Target[] {
  return [
    {
      what: `${TWO_MILLION} ${what}`,
      bound: "at least",
      limit: 1_000_000,
      unit: "samples/s",
      measure: ({ downloads }) => downloads?.samplesPerS[kind],
    },
    {
      what: "the same, growth of a new process",
      bound: "under",
      limit: 40,
      unit: "MB",
      measure: ({ downloads }) => downloads?.growthMb[kind],
    },
  ];
}

export const DOWNLOAD_TARGETS: readonly Target[] = [
  ...download("of a device as CSV", "csv"),
  ...download("of a device as JSON lines", "jsonl"),
  ...download("of a device as Parquet", "parquet"),
  ...download("of a device as Arrow", "arrow"),
  ...download("of a device as CSV, gzip", "csv, gzip"),
  ...download("of a device as JSON lines, gzip", "jsonl, gzip"),
  ...download("of a device as Arrow, gzip", "arrow, gzip"),
  ...download("of a device as CSV, zstd", "csv, zstd"),
  ...download("of all devices as Parquet", "parquet of all devices"),
  ...download("of a squad as CSV, 28 sessions", "csv of a squad"),
  {
    what: "72,000 samples of a session as CSV",
    bound: "at least",
    limit: 1_000_000,
    unit: "samples/s",
    measure: ({ downloads }) => downloads?.samplesPerS["csv of a session"],
  },
  {
    what: "longest delay of the event loop during these downloads",
    bound: "at most",
    limit: 50,
    unit: "ms",
    measure: ({ downloads }) => downloads?.longestDelayMs,
  },
  {
    what: "p99 of another user during these downloads",
    bound: null,
    limit: null,
    unit: "ms",
    measure: ({ downloads }) => downloads?.busyP99Ms,
    from: ({ downloads }) => downloads && `idle ${downloads.idleP99Ms.toFixed(1)} ms`,
  },
];

const STREAMS = "50 devices stream at 10 Hz with an ECG of 250 Hz";

export const STREAM_TARGETS: readonly Target[] = [
  {
    what: `${STREAMS}: processor time of the service`,
    bound: "at most",
    limit: 0.5,
    unit: "cores",
    measure: ({ streams }) => streams?.cores,
  },
  {
    what: "the same, time until a sample is stored and confirmed, p99",
    bound: "at most",
    limit: 1000,
    unit: "ms",
    measure: ({ streams }) => streams?.storedP99Ms,
    from: ({ streams }) => streams && `p50 ${Math.round(streams.storedP50Ms)} ms`,
  },
  {
    what: "the same, time until a live connection receives a sample, p99",
    bound: null,
    limit: null,
    unit: "ms",
    measure: ({ streams }) => streams?.liveP99Ms,
    from: ({ streams }) => streams && `p50 ${Math.round(streams.liveP50Ms)} ms`,
  },
];

const operation = (what: string, kind: keyof IntegrationFigures): Target => ({
  what,
  bound: null,
  limit: null,
  unit: "ms",
  measure: ({ integration }) => integration?.[kind],
});

/** Operations without a documented target. */
export const INTEGRATION_TARGETS: readonly Target[] = [
  operation("page of changes since a cursor", "changes"),
  operation("state of a streamed recording", "recording stream"),
  operation("live data of all devices, until the first event", "live"),
  operation("live data of a squad, until the first event", "live of a squad"),
  operation("live data of a session, until the first event", "live of a session"),
  operation("ticket for live data", "live ticket"),
  operation("token by client credentials", "client credentials"),
  operation("list of 20 sessions with a personal token", "personal token"),
  operation("new personal token, with the password", "new personal token"),
  operation("sign-in of a device: code, request before the approval, approval, token", "device flow"),
  operation("webhook: from the change until the receiver has the signed event", "webhook"),
  operation("metadata of the authorization server", "metadata"),
  operation("question over MCP: figures of a session", "mcp figures"),
  operation("question over MCP: season of a squad with 28 sessions", "mcp season"),
];
