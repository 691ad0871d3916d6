/**
 * The service in a separate process of the soak test. Sends its address, measures itself on request, and ends with its
 * parent process. Its clock can skip a day, which makes data with a lifetime of days expire within minutes. Arguments:
 * data folder, URL of a PostgreSQL database (none for the embedded one).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../src/config/config.js";
import { addDevices } from "../src/domain/devices/add.js";
import { createLookup } from "../src/domain/webhooks/call/resolver.js";
import { applyRetention } from "../src/jobs/retention.js";
import { createApplication } from "../src/oauth/applications.js";
import { ownContext } from "../src/process/own-context.js";
import { startService } from "../src/process/service.js";
import { openStore } from "../src/store/open.js";

/** A request of the soak test. */
export type Question = { id: number; name: "measure" | "nextDay" };

/** Measurements of the process and its database. */
export interface Measurement {
  /** Resident memory, bytes. */
  residentSet: number;
  /** Heap and other memory after garbage collection. */
  heap: number;
  arrayBuffers: number;
  /** Bytes of each table with its indexes. */
  tables: Record<string, number>;
  /** Rows of each table. */
  rows: Record<string, number>;
}

export type Message =
  | { kind: "ready"; url: string; clientId: string; clientSecret: string; devices: string[] }
  | { kind: "answer"; id: number; measurement: Measurement | null }
  | { kind: "failed"; id: number | null; why: string };

const DAY_MS = 86_400_000;
const DEVICES = 3;

const send = (message: Message) => process.send?.(message);
const whyOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

async function open(dataDir: string, databaseUrl: string | undefined) {
  const config = {
    ...readConfig({
      PORT: "0",
      METRICS_PORT: "0",
      LOG_LEVEL: "warn",
      DATA_DIR: dataDir,
      GRANT_MANAGED_ATHLETES: "true",
      WEBHOOK_ALLOW_PRIVATE: "true",
      RAW_RETENTION_DAYS: "2",
      AUDIT_RETENTION_DAYS: "2",
      JOB_RETENTION_DAYS: "2",
      REFRESH_TOKENS_PER_APPLICATION: "50",
      RAW_DATA_CACHE_BYTES: String(8 * 1024 * 1024),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    }),
    throttleUserPerMinute: 1_000_000,
    throttleRawDataPerMinute: 1_000_000,
    throttleTokensPerMinute: 1_000_000,
    throttleAddressPerMinute: 1_000_000,
    throttleFilesPerMinute: 1_000_000,
  };
  const store = await openStore(config);
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const service = await startService(config, store, "all", clock, createLookup());
  const ctx = ownContext(config, store, clock, () => service.worker.wake(), service.computer);
  const { clientId, clientSecret } = await createApplication(ctx, { name: "soak", redirectUris: [] });
  const devices = await addDevices(
    ctx,
    Array.from({ length: DEVICES }, (_, index) => ({
      serialNumber: `SOAK${index}`,
      deviceName: "tracker",
      deviceType: "T1",
    })),
  );

  const { pool } = store.database;
  async function measure(): Promise<Measurement> {
    const { rows: sizes } = await pool.query<{ name: string; bytes: string }>(
      `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const rows: Record<string, number> = {};
    for (const { name } of sizes) {
      const counted = await pool.query<{ count: string }>(`SELECT count(*) AS count FROM "${name}"`);
      rows[name] = Number(counted.rows[0]?.count);
    }
    // The second collection frees objects finalised by the first one.
    for (let times = 0; times < 2; times++) {
      global.gc?.();
      await sleep(50);
    }
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    return {
      residentSet: rss,
      heap: heapUsed,
      arrayBuffers,
      tables: Object.fromEntries(sizes.map(({ name, bytes }) => [name, Number(bytes)])),
      rows,
    };
  }

  return {
    ready: {
      kind: "ready" as const,
      url: service.url ?? "",
      clientId,
      clientSecret,
      devices: devices.map(({ serialNumber }) => serialNumber),
    },
    async answer({ name }: Question): Promise<Measurement | null> {
      if (name === "measure") return measure();
      aheadMs += DAY_MS;
      await applyRetention(ctx);
      return null;
    },
    async close() {
      await service.stop();
      await store.close();
    },
  };
}

const [dataDir = "", databaseUrl] = process.argv.slice(2);
try {
  const opened = await open(dataDir, databaseUrl);
  process.on("message", (question: Question) => {
    opened.answer(question).then(
      (measurement) => send({ kind: "answer", id: question.id, measurement }),
      (error: unknown) => send({ kind: "failed", id: question.id, why: whyOf(error) }),
    );
  });
  process.once("disconnect", () => {
    opened
      .close()
      .catch(() => undefined)
      .finally(() => process.exit(0));
  });
  send(opened.ready);
} catch (error) {
  send({ kind: "failed", id: null, why: whyOf(error) });
  process.exitCode = 1;
}
