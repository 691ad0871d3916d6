import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ORDER } from "../test/order.js";

/** Time limits only end a test that hangs, even on a slow machine. No test depends on the clock. */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

/**
 * One more than the number of processors, because tests wait for timeouts and databases. Limited by the connections of a
 * PostgreSQL server of the tests.
 */
const WORKERS = { isolate: false, maxWorkers: Math.min(availableParallelism() + 1, 4) };

const RANDOM_INPUTS = "../test/random-inputs.ts";

/** Reduces work that would take most of the time. The built service, which some tests start, is not affected. */
const alias = [
  { find: "@node-rs/argon2", replacement: join(import.meta.dirname, "test/quick-argon2.ts") },
  { find: /^\.\/thread-program\.js$/, replacement: join(import.meta.dirname, "test/bundled-thread.ts") },
];

/**
 * For tests of the service. Every file has a separate service and database, so the files run in any order and concurrently;
 * consecutive files of a worker share its modules.
 */
export const SERVICE = { alias, sequence: ORDER, ...WORKERS, ...PATIENCE };

/** The database does not matter for these tests, so they run only on PostgreSQL. */
const ONCE = [
  "access-recheck",
  "bluetooth",
  "connections",
  "caller-queues",
  "conversion",
  "conversion-clients",
  "conversion-formats",
  "cors",
  "dependencies",
  "deployment-files",
  "documents",
  "figures-beside-changes",
  "hostile-forms",
  "hostile-json",
  "http",
  "inventory",
  "json-schemas",
  "leaving-clients",
  "limits",
  "listeners",
  "long-page",
  "mcp",
  "mcp-rights",
  "monitoring-files",
  "openapi",
  "page",
  "page-forgery",
  "process-surroundings",
  "process-warnings",
  "proxy",
  "pull",
  "refused-bodies",
  "refused-values",
  "release",
  "response-check",
  "restore-elsewhere",
  "routing",
  "server-key",
  "sessions-document",
  "stats-parity",
  "telemetry",
  "telemetry-settings",
  "usernames",
  "warehouse-document",
  "webhook-receivers",
];

/** The database is not the subject of these tests, so `npm run test:more -- --short` omits them on the embedded database. */
const NOT_OF_DATABASE = [
  "access",
  "athlete-registration",
  "audited-downloads",
  "audited-values",
  "authorize",
  "computed-data-schema",
  "computed-figures",
  "device-sign-in",
  "download-samples",
  "held-bodies",
  "live-in-refusals",
  "live-tickets",
  "machine-applications",
  "optional-figures",
  "own-applications",
  "password-reset",
  "password-reset-requests",
  "permission-times",
  "personal-tokens",
  "properties",
  "provider-accounts",
  "provider-roles",
  "provider-sign-in",
  "provider-trust",
  "python-and-r",
  "recipes",
  "roster-import",
  "sample-files",
  "season-max-speed",
  "session-figures-files",
  "session-optional-figures",
  "session-periods",
  "session-season",
  "slow-readers",
  "squad-roles",
  "squad-roles-matrix",
  "squad-sessions",
  "story",
  "stream-command",
  "suggested-sessions",
  "throttles",
  "token-races",
  "token-revocation",
  "upload",
  "upload-clients",
  "web-socket-refusals",
  "web-socket-streams",
  "web-sockets",
  "webhook-addresses",
  "webhook-delivery",
  "webhook-quota",
  "webhook-retries",
];
const isShort = process.env.TEST_SHORT === "1";

/** Tests of the embedded database, which run only there. */
const EMBEDDED = ["data-folder", "embedded-panic", "folder-lock", "memory", "vacuum"];

/** Slow tests: outages, kills, sieges, large databases, an installation. Only `npm run test:more` runs them. */
const SLOW = [
  "database-outage",
  "demonstration-again",
  "hostile-json",
  "killed-workers",
  "long-page",
  "memory",
  "live-plans",
  "query-plans",
  "release",
  "replica",
];

/** Tests that store, read or remove samples. */
const ON_SAMPLES = [
  "sample-servers",
  "sample-servers-away",
  "sample-servers-erasure",
  "sample-servers-former-tables",
  "sample-servers-removal",
  "bulk-load",
  "changes",
  "changes-of-athletes",
  "change-cursors",
  "raw-data",
  "raw-data-ranges",
];

/** `npm test` runs some of the random histories, requests and kills. With this setting, these files run more of them. */
const ALL_HISTORIES = { TEST_ALL_HISTORIES: "1" };
const WITH_LONG_FORM = [
  "change-histories",
  "former-owner-histories",
  "key-rotation-kills",
  "properties",
  "sample-histories",
  "session-histories",
];

const ALL = ["test/**/*.test.ts"];
const LONG = ["test/long/**/*.test.ts"];
const files = (names: readonly string[]) => names.map((name) => `test/${name}.test.ts`);

type DatabaseName = "embedded" | "postgres";

interface Files {
  include: string[];
  exclude?: string[];
  env?: Record<string, string>;
  /** Whether a test takes minutes on an idle machine. */
  isLong?: boolean;
}

const onDatabase = (
  name: string,
  database: DatabaseName,
  { include, exclude = [], env = {}, isLong = false }: Files,
) => ({
  test: {
    name,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    globalSetup: [`test/${database}-setup.ts`],
    setupFiles: ["test/service-setup.ts", RANDOM_INPUTS],
    env: { TEST_DATABASE: database, ...env },
    ...SERVICE,
    ...(isLong && { testTimeout: 1_800_000, hookTimeout: 1_800_000 }),
  },
});

/**
 * The suite with the samples on three separate servers. `npm run test:distributed` runs all of it; by default only tests that
 * store, read or remove samples.
 */
const distributed = () => {
  const include = process.env.DISTRIBUTED === "all" ? ALL : files(ON_SAMPLES);
  const { test } = onDatabase("distributed", "postgres", { include, exclude: LONG });
  return {
    test: {
      ...test,
      // Its files share the three servers and inspect the tables on them.
      maxWorkers: 1,
      sequence: { ...ORDER, groupOrder: 1 },
      globalSetup: ["test/distributed-setup.ts"],
      env: { ...test.env, TEST_DISTRIBUTED: "1" },
    },
  };
};

/**
 * Keeps the files of a project together, because its workers share modules. `--sequence.shuffle` shuffles the files of each
 * project, and the tests of each file.
 */
export class ByProject extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { shuffle, seed } = this.ctx.config.sequence;
    if (!shuffle) return super.sort(specifications);
    const keyOf = ({ project, moduleId }: TestSpecification) =>
      `${project.name} ${createHash("sha256")
        .update(`${seed} ${relative(this.ctx.config.root, moduleId)}`)
        .digest("hex")}`;
    return specifications.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ByProject, ...ORDER },
    projects: [
      // `npm test`
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "load/*.test.ts", "siege/*.test.ts"],
          globalSetup: ["test/unit-setup.ts"],
          setupFiles: [RANDOM_INPUTS],
          ...SERVICE,
        },
      },
      onDatabase("postgres", "postgres", {
        include: ALL,
        exclude: [...LONG, ...files([...EMBEDDED, ...SLOW])],
      }),
      onDatabase("embedded-only", "embedded", { include: files(EMBEDDED), exclude: files(SLOW) }),
      // `npm run test:more`
      onDatabase("embedded", "embedded", {
        include: ALL,
        exclude: [
          ...LONG,
          ...files([
            ...ONCE,
            ...EMBEDDED.filter((name) => !SLOW.includes(name)),
            ...(isShort ? NOT_OF_DATABASE : []),
          ]),
        ],
      }),
      onDatabase("postgres-slow", "postgres", {
        include: files([
          ...SLOW.filter((name) => !EMBEDDED.includes(name)),
          ...(isShort ? [] : WITH_LONG_FORM),
        ]),
        env: ALL_HISTORIES,
        isLong: true,
      }),
      distributed(),
      onDatabase("postgres-long", "postgres", {
        include: LONG,
        exclude: isShort ? files(["long/soak"]) : [],
        isLong: true,
      }),
      onDatabase("embedded-long", "embedded", { include: LONG, isLong: true }),
    ],
  },
});
