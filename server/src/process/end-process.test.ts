import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EMBEDDED_CLOSE_TIMEOUT_MS, END_TIMEOUT_MS, endProcess } from "./end-process.js";

const SHUTDOWN_TIMEOUT_MS = 25_000;
const never = () => new Promise<void>(() => undefined);
const atOnce = async (): Promise<void> => undefined;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Ends a process whose parts behave as given. */
function ending(kind: "postgres" | "embedded", { stop = atOnce, close = atOnce }) {
  const fatal = vi.fn();
  const exit = vi.fn();
  const service = { stop, app: { log: { fatal } } };
  const running = {
    config: { shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS },
    service,
    store: { close, database: { kind } },
    telemetry: undefined,
  };
  endProcess(running as unknown as Parameters<typeof endProcess>[0], exit);
  return { fatal, exit };
}

it("a process exits with status 0 when all its parts have ended, and is ended only once", async () => {
  const { exit, fatal } = ending("postgres", {});
  await vi.advanceTimersByTimeAsync(10 * EMBEDDED_CLOSE_TIMEOUT_MS);
  expect(exit.mock.calls).toEqual([[0]]);
  expect(fatal).not.toHaveBeenCalled();
});

it("a process exits with status 1 if the database does not answer, 10 s after the time for requests and jobs", async () => {
  const { exit, fatal } = ending("postgres", { close: never });
  await vi.advanceTimersByTimeAsync(SHUTDOWN_TIMEOUT_MS + END_TIMEOUT_MS - 1);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(exit.mock.calls).toEqual([[1]]);
  expect(fatal.mock.calls).toEqual([[{ parts: ["database"] }, "not ended in time"]]);
});

it("the embedded database has one additional minute to write its files", async () => {
  const stop = () => new Promise<void>((done) => setTimeout(done, SHUTDOWN_TIMEOUT_MS));
  const { exit } = ending("embedded", { stop, close: never });
  await vi.advanceTimersByTimeAsync(SHUTDOWN_TIMEOUT_MS + EMBEDDED_CLOSE_TIMEOUT_MS - 1);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(exit.mock.calls).toEqual([[1]]);
});
