import type { Config } from "../config/config.js";
import type { Telemetry } from "../observability/telemetry/start.js";
import type { Store } from "../store/open.js";
import type { Service } from "./service.js";
import { Shutdown } from "./shutdown.js";

/** Time limit for exporting the last traces and metrics, ms. */
const TELEMETRY_TIMEOUT_MS = 5_000;

/**
 * Time limit for the end of the process after the time for requests and jobs, ms. If the database machine has vanished,
 * closing a connection can take many minutes.
 */
export const END_TIMEOUT_MS = 10_000;

/**
 * Time limit for closing the embedded database, ms. While closing, the database writes its memory to its files. If it is
 * terminated earlier, the next start recovers from its log.
 */
export const EMBEDDED_CLOSE_TIMEOUT_MS = 60_000;

interface Running {
  config: Pick<Config, "shutdownTimeoutMs">;
  service: Pick<Service, "stop"> & { app: Pick<Service["app"], "log"> };
  store: Pick<Store, "close"> & { database: Pick<Store["database"], "kind"> };
  telemetry: Pick<Telemetry, "stop"> | undefined;
}

/** Stops the service, closes its store, and ends the process, with status 1 if a part does not end in time. */
export async function endProcess(
  { config: { shutdownTimeoutMs }, service, store, telemetry }: Running,
  exit: (status: number) => void = process.exit,
): Promise<void> {
  const ending = new Shutdown();
  const giveUpAfter = (timeoutMs: number) =>
    setTimeout(() => {
      service.app.log.fatal({ parts: ending.parts }, "not ended in time");
      exit(1);
    }, timeoutMs);
  let timeout = giveUpAfter(shutdownTimeoutMs + END_TIMEOUT_MS);
  await service.stop(ending);
  // Some metrics are counted in the database.
  await ending.waitFor("telemetry", telemetry?.stop(Math.min(TELEMETRY_TIMEOUT_MS, shutdownTimeoutMs)));
  if (store.database.kind === "embedded") {
    clearTimeout(timeout);
    timeout = giveUpAfter(EMBEDDED_CLOSE_TIMEOUT_MS);
  }
  await ending.waitFor("database", store.close());
  clearTimeout(timeout);
  exit(0);
}
