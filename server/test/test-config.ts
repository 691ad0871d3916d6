import { join } from "node:path";
import { type Config, readConfig } from "../src/config/config.js";
import { newScratchFolder } from "./scratch.js";

/**
 * Folder with a page of one file. The built page has a route for each file, and registering them all would take a third of the
 * service's startup time. `page.test.ts` has its own pages, and the tests of the page itself use the built page.
 */
const SMALL_PAGE = join(import.meta.dirname, "small-page");

/** Returns settings for tests: a free port, minimal logs, and limits that a test run does not reach. */
export const testConfig = (changes: Partial<Config> = {}): Config => ({
  ...readConfig({ PORT: "0", METRICS_PORT: "0", LOG_LEVEL: process.env.TEST_LOG ?? "silent" }),
  dataDir: newScratchFolder(),
  pageDir: SMALL_PAGE,
  throttleAddressPerMinute: 1_000_000,
  throttleUserPerMinute: 1_000_000,
  throttleRawDataPerMinute: 1_000_000,
  throttleFilesPerMinute: 1_000_000,
  throttleOwnershipsPerMinute: 1_000_000,
  throttleRegistrationsPerHour: 1_000_000,
  throttleRegistrationMailsPerDay: 1_000_000,
  throttleTokensPerMinute: 1_000_000,
  throttlePasswordResetsPerHour: 1_000_000,
  convertConcurrencyPerUser: 8,
  ...changes,
});
