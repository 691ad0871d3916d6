/**
 * Creates an `it` with a service that all tests of a file share. The first test that uses the service starts it, and it stops at
 * the end of the file. Each file creates a separate `it`, because the runner would report a failed set-up of one file in the next
 * file of the worker.
 */
import { test } from "vitest";
import type { Config } from "../src/config/config.js";
import type { AddressLookup } from "../src/domain/change/address-lookup.js";
import { lastingStore } from "./databases.js";
import { service, TestService } from "./service.js";

/**
 * Use this for a service with a separate database, if the tests run its jobs, set its clock, or expect only their own rows in
 * lists.
 */
export const withOwnService = (settings: Partial<Config> = {}, lookup?: AddressLookup) =>
  test
    .extend("store", { scope: "file" }, () => lastingStore())
    .extend("service", { scope: "file" }, ({ store }, { onCleanup }) => {
      // Closing the store stops the service first, if it runs.
      onCleanup(() => store.close());
      return TestService.startLasting(store, settings, lookup);
    });

/** Uses the service that `service()` and `startService()` use. */
export const withSharedService = () => test.extend("service", { scope: "file" }, () => service());
