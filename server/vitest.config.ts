import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ORDER } from "../test/order.js";

/** No test judges by the clock; these only end one that hangs, on a slow machine too. */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

/** One more than there are processors, because tests wait for timeouts and databases. Not more than a PostgreSQL server of the tests has connections for. */
const WORKERS = { isolate: false, maxWorkers: Math.min(availableParallelism() + 1, 4) };

/** What would take most of the time. The built service, which some tests start, does all of it. */
const alias = [
  { find: "@node-rs/argon2", replacement: join(import.meta.dirname, "test/quick-argon2.ts") },
  { find: /^\.\/thread-program\.js$/, replacement: join(import.meta.dirname, "test/bundled-thread.ts") },
];

/**
 * For tests of the service. Every file has a service and a database of its own, so the files run in any order, several at a
 * time; files that follow each other in a worker share its modules.
 */
export const SERVICE = { alias, sequence: ORDER, ...WORKERS, ...PATIENCE };

/** Their subject is not the database: they run on PostgreSQL only. */
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
  "hostile-forms",
  "hostile-json",
  "http",
  "inventory",
  "json-schemas",
  "leaving-clients",
  "limits",
  "listeners",
  "long-page",
  "monitoring-files",
  "openapi",
  "page",
  "page-forgery",
  "process-surroundings",
  "process-warnings",
  "proxy",
  "refused-bodies",
  "refused-values",
  "release",
  "response-check",
  "restore-elsewhere",
  "routing",
  "stats-parity",
  "telemetry",
  "telemetry-settings",
  "usernames",
  "webhook-receivers",
];

/** Their subject is the embedded database alone: they run on no other. */
const EMBEDDED = ["data-folder", "embedded-panic", "folder-lock", "memory", "vacuum"];

/** What takes long: outages, kills, sieges, large databases, an installation. `npm test` leaves them to `npm run test:more`. */
const SLOW = [
  "database-outage",
  "demonstration-again",
  "hostile-json",
  "killed-workers",
  "long-page",
  "memory",
  "query-plans",
  "release",
  "replica",
];

/** What stores, reads and removes samples. */
const ON_SAMPLES = [
  "sample-servers",
  "sample-servers-away",
  "sample-servers-erasure",
  "sample-servers-former-tables",
  "bulk-load",
  "raw-data",
];

/** `npm test` tries a part of the random histories, requests and moments of a kill; these files have more of them. */
const ALL_HISTORIES = { TEST_ALL_HISTORIES: "1" };
const WITH_LONG_FORM = ["former-owner-histories", "key-rotation", "properties", "sample-histories"];

const ALL = ["test/**/*.test.ts"];
const LONG = ["test/long/**/*.test.ts"];
const files = (names: readonly string[]) => names.map((name) => `test/${name}.test.ts`);

type DatabaseName = "embedded" | "postgres";

interface Files {
  include: string[];
  exclude?: string[];
  env?: Record<string, string>;
}

const onDatabase = (name: string, database: DatabaseName, { include, exclude = [], env = {} }: Files) => ({
  test: {
    name,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    globalSetup: [`test/${database}-setup.ts`],
    setupFiles: ["test/service-setup.ts"],
    env: { TEST_DATABASE: database, ...env },
    ...SERVICE,
    ...(include === LONG && { testTimeout: 1_200_000 }),
  },
});

/**
 * The suite with the samples on three servers of their own. `npm run test:distributed` runs all of it; by default only what
 * stores, reads and removes samples.
 */
const distributed = () => {
  const include = process.env.DISTRIBUTED === "all" ? ALL : files(ON_SAMPLES);
  const { test } = onDatabase("distributed", "postgres", { include, exclude: LONG });
  return {
    test: {
      ...test,
      // Its files share the three servers, and look at the tables on them.
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
          include: ["src/**/*.test.ts", "load/*.test.ts"],
          globalSetup: ["test/unit-setup.ts"],
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
        exclude: [...LONG, ...files([...ONCE, ...EMBEDDED.filter((name) => !SLOW.includes(name))])],
        env: ALL_HISTORIES,
      }),
      onDatabase("postgres-slow", "postgres", {
        include: files([...SLOW.filter((name) => !EMBEDDED.includes(name)), ...WITH_LONG_FORM]),
        env: ALL_HISTORIES,
      }),
      distributed(),
      onDatabase("postgres-long", "postgres", { include: LONG }),
      onDatabase("embedded-long", "embedded", { include: LONG }),
    ],
  },
});
