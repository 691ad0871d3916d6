import { afterAll, beforeAll, beforeEach, describe, vi } from "vitest";
import { type Interval, readPage, type StoreResult, storeSamples } from "../index.js";
import { missingPostgres, openPglite, openPostgres, type SampleDatabase } from "./databases.js";
import { columnsOf, type Sample, sampleAt, samplesOf } from "./samples.js";

/** Device whose samples the tests store and read. */
export const DEVICE = 7;
/** Interval with all times. */
export const EVER: Interval[] = [{ startMs: Number.NEGATIVE_INFINITY, stopMs: Number.POSITIVE_INFINITY }];

/** Store of a test, which is empty when the test starts. */
export interface StoreUnderTest {
  readonly db: SampleDatabase;
  store(samples: readonly Sample[], device?: number): Promise<StoreResult>;
  storeAt(...times: number[]): Promise<StoreResult>;
  page(intervals: Interval[], offset?: number, limit?: number): Promise<{ count: number; samples: Sample[] }>;
  /** Returns all samples of `DEVICE`. */
  everything(): Promise<Sample[]>;
}

/** Runs the same tests on PGlite and on a PostgreSQL server. Skips PostgreSQL with a message if no server can be started. */
export function onEachDatabase(name: string, tests: (store: StoreUnderTest) => void): void {
  // The default of 5 s is short for a database that starts on a busy machine.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  const noPostgres = missingPostgres();
  describe(`${name} on PGlite`, () => tests(openBefore(() => openPglite())));
  describe.skipIf(noPostgres !== null)(
    `${name} on PostgreSQL${noPostgres === null ? "" : ` (skipped: ${noPostgres})`}`,
    () => tests(openBefore(() => openPostgres())),
  );
}

function openBefore(open: () => Promise<SampleDatabase>): StoreUnderTest {
  let opened: SampleDatabase | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  beforeEach(() => opened?.clear());

  return {
    get db() {
      if (opened === undefined) throw new Error("the database is open only while tests run");
      return opened;
    },
    store(samples, device = DEVICE) {
      return this.db.transaction((tx) => storeSamples(tx, device, [columnsOf(samples)]));
    },
    storeAt(...times) {
      return this.store(times.map((ms) => sampleAt(ms)));
    },
    async page(intervals, offset = 0, limit = 25_000) {
      const { count, columns } = await readPage(this.db.client, DEVICE, intervals, offset, limit);
      return { count, samples: samplesOf(columns) };
    },
    async everything() {
      return (await this.page(EVER)).samples;
    },
  };
}
