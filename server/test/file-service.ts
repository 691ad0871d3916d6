/**
 * `it` with a service that all tests of a file share. The first test that uses it starts it; it ends with the file. Each file
 * makes its own `it`: the runner would give the failure of one file's set-up to the next file of the worker.
 */
import { test } from "vitest";
import type { Config } from "../src/config/config.js";
import type { AddressLookup } from "../src/domain/change/address-lookup.js";
import { lastingStore, service, TestService } from "./service.js";

/** The service has a database of its own: its jobs are run, its clock is moved, or its lists are those of the tests alone. */
export const withOwnService = (settings: Partial<Config> = {}, lookup?: AddressLookup) =>
  test
    .extend("store", { scope: "file" }, () => lastingStore())
    .extend("service", { scope: "file" }, ({ store }, { onCleanup }) => {
      // It stops what runs on it.
      onCleanup(() => store.close());
      return TestService.startLasting(store, settings, lookup);
    });

/** The service that `service()` and `startService()` know too. */
export const withSharedService = () => test.extend("service", { scope: "file" }, () => service());
