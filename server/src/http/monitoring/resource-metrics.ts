import { Counter, Gauge, type Registry } from "prom-client";
import type { PageCache } from "../../domain/raw-data/page-cache.js";
import type { FairQueue } from "../../fairness/fair-queue.js";
import type { Database } from "../../store/connection/database.js";
import type { ReadReplica } from "../../store/connection/read-replica.js";

/** Measures waiting work in this process: for a database connection, and in the queues of callers. */
export function measureQueues(
  registry: Registry,
  requests: FairQueue<string>,
  { pool, sampleServers }: Pick<Database, "pool" | "sampleServers">,
): void {
  const registers = [registry];
  new Gauge({
    name: "asi_database_connections",
    help: "Connections of this process to the database, in use and idle",
    labelNames: ["state"],
    registers,
    collect() {
      this.set({ state: "used" }, pool.totalCount - pool.idleCount);
      this.set({ state: "idle" }, pool.idleCount);
    },
  });
  new Gauge({
    name: "asi_database_connections_max",
    help: "Maximum number of connections of this process to the database",
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: "asi_database_waiting",
    help: "Queries and transactions that wait for a connection",
    registers,
    collect() {
      this.set(pool.waitingForTurn);
    },
  });
  if (sampleServers !== null) {
    new Gauge({
      name: "asi_sample_server_up",
      help: "1 if a sample server is reachable, 0 if it is unreachable; absent if the samples are in the database itself",
      labelNames: ["server"],
      registers,
      collect() {
        this.reset();
        for (const { label, problem } of sampleServers.states) {
          this.set({ server: label }, problem === undefined ? 1 : 0);
        }
      },
    });
  }
  new Gauge({
    name: "asi_http_requests_waiting",
    help: "Requests that wait because other requests of their caller are being served",
    registers,
    collect() {
      this.set(requests.waiting);
    },
  });
}

/** Measures the cache of pages of raw data, and the replica for reading them. */
export function measureRawData(registry: Registry, cache: PageCache, replica: ReadReplica | undefined): void {
  const registers = [registry];
  new Gauge({
    name: "asi_raw_data_cache_bytes",
    help: "Memory of the cached pages of raw data",
    registers,
    collect() {
      this.set(cache.bytes);
    },
  });
  new Counter({
    name: "asi_raw_data_pages_total",
    help: "Requested pages of raw data, by whether they were in the cache",
    labelNames: ["cache"],
    registers,
    collect() {
      this.reset();
      this.inc({ cache: "hit" }, cache.hits);
      this.inc({ cache: "miss" }, cache.misses);
    },
  });
  if (replica === undefined) return;
  new Gauge({
    name: "asi_read_replica_age_seconds",
    help: "Maximum age of the state of the read replica; infinite if it was never measured",
    registers,
    collect() {
      this.set(replica.ageMs / 1000);
    },
  });
  new Gauge({
    name: "asi_read_replica_used",
    help: "1 while pages of raw data are read from the replica, 0 while they are read from the primary",
    registers,
    collect() {
      this.set(replica.current() === undefined ? 0 : 1);
    },
  });
}
