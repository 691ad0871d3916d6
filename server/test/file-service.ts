/**
 * Creates an `it` with a service shared by all tests of a file. The first test that uses it starts it; it ends with the
 * file. Each file creates a separate `it`, because the runner would report a failed set-up of one file in the next file
 * of the worker.
 */
import { test } from "vitest";
import type { Config } from "../src/config/config.js";
import type { AddressLookup } from "../src/domain/change/address-lookup.js";
import { lastingStore, service, TestService } from "./service.js";

/**
 * Whether the service has a separate database, because the tests run its jobs, set its clock, or expect only their own rows in
 * lists.
 */
export const withOwnService = (settings: Partial<Config> = {}, lookup?: AddressLookup) =>
  test
    .extend("store", { scope: "file" }, () => lastingStore())
    .extend("service", { scope: "file" }, ({ store }, { onCleanup }) => {
      // The service stops all work that runs on it.
      onCleanup(() => store.close());
      return TestService.startLasting(store, settings, lookup);
    });

/** The service used by `service()` and `startService()`. */
export const withSharedService = () => test.extend("service", { scope: "file" }, () => service());
