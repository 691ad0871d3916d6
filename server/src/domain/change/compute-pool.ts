import type { MetricsOptions } from "asi-convert/metrics";
import type { StoredChunk } from "../../store/samples/stored.js";

/** Input of a computation, sent to a worker thread. */
export interface ComputationTask {
  deviceId: number;
  /** Chunks that overlap the time frame. Samples outside it are ignored. */
  chunks: StoredChunk[];
  options: MetricsOptions;
  /** ms since 1970 UTC. */
  computedAtMs: number;
}

/** A caller that waits for a computation. */
export interface Waiter {
  account: number;
  /** Address of the account, see `jobGroupOf`; default: a separate group. */
  group?: string;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/** Computes in worker threads, so that the event loop of the API is not blocked. */
export interface ComputePool {
  /**
   * @returns the computed data as JSON text
   * @throws any error of the computation, or an Error when its thread has ended
   */
  compute(task: ComputationTask): Promise<string>;
  /**
   * Runs work that computes as soon as a thread is free. Concurrent calls with the same key share one run.
   * @throws see `ComputationQueue`
   */
  share<T>(key: string, waiter: Waiter, work: () => Promise<T>): Promise<T>;
  /** Number of existing threads, including idle ones; for tests. */
  readonly threads: number;
  /** Terminates the threads. Running computations are lost. */
  close(): Promise<void>;
}

/** Pool for contexts without computations, such as commands of the operator. */
export const noComputePool: ComputePool = {
  compute: () => Promise.reject(new Error("This process computes nothing")),
  share: (_key, _waiter, work) => work(),
  threads: 0,
  close: () => Promise.resolve(),
};
