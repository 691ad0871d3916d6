import type { MetricsOptions } from "asi-convert/metrics";
import type { StoredChunk } from "../../store/samples/stored.js";

/** The input of one computation, as a message to the thread that runs it. */
export interface ComputationTask {
  deviceId: number;
  /** The chunks that overlap the time frame. Samples outside of it are ignored. */
  chunks: StoredChunk[];
  options: MetricsOptions;
  /** ms since 1970 UTC. */
  computedAtMs: number;
}

/** A caller that waits for a computation. */
export interface Waiter {
  account: number;
  /** The address of the account, see `jobGroupOf`; default: one of its own. */
  group?: string;
  /** Aborted when the caller leaves. */
  signal?: AbortSignal | undefined;
}

/** Computes in separate threads, so that the event loop of the API stays free. */
export interface ComputePool {
  /**
   * @returns the computed data as JSON text
   * @throws whatever the computation throws, or an Error when its thread has died
   */
  compute(task: ComputationTask): Promise<string>;
  /**
   * Runs work that computes when a thread is free for it. Concurrent calls with the same key share one run.
   * @throws see `ComputationQueue`
   */
  share<T>(key: string, waiter: Waiter, work: () => Promise<T>): Promise<T>;
  /** Number of existing threads, including idle ones; for tests. */
  readonly threads: number;
  /** Ends the threads. Running computations are lost. */
  close(): Promise<void>;
}

/** For contexts without computations: the commands of the operator. */
export const noComputePool: ComputePool = {
  compute: () => Promise.reject(new Error("This process computes nothing")),
  share: (_key, _waiter, work) => work(),
  threads: 0,
  close: () => Promise.resolve(),
};
