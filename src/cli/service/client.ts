import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../arguments.js";
import type { DescribedError } from "../terminal/problem.js";
import { errorOf, isPassing, notAService, serviceError } from "./refusals.js";

/** Maximum number of retries of a failed request. With the waits below, they last longer than a restart of the service. */
const MAX_REPETITIONS = 8;
const FIRST_WAIT_MS = 500;
const MAX_OWN_WAIT_MS = 30_000;
/** Maximum wait that a service can request. The rate limits of the service are per minute, so it never requests a longer wait. */
const MAX_ASKED_WAIT_MS = 120_000;

/** The connection failed, or was lost during the response. */
class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

export interface ServiceAccess {
  /** Ends with a slash. */
  base: URL;
  token: string;
  signal: AbortSignal;
  /** Called before a request is repeated. */
  onWait: (waitMs: number) => void;
}

type Query = Readonly<Record<string, string | number>>;

/**
 * Sends requests to a service, and retries them while the service is unavailable. Never follows redirects, so that the token goes only to
 * the given address.
 */
export class ServiceClient {
  readonly #access: ServiceAccess;
  // Whether the service has answered before; until then, a wrong address fails immediately.
  #hasAnswered = false;

  constructor(access: ServiceAccess) {
    this.#access = access;
  }

  /** Returns an object. @throws DescribedError with a `ServiceProblem` */
  async object(path: string, query: Query = {}): Promise<Record<string, unknown>> {
    const value = await this.read(path, query, (body) => new Response(body).text());
    try {
      const parsed: unknown = JSON.parse(value);
      if (isRecord(parsed)) return parsed;
    } catch {
      // the response may be a page for browsers
    }
    throw notAService(this.#access.base);
  }

  /** Returns the results of all pages of a list. @throws DescribedError with a `ServiceProblem` */
  async *list(path: string, query: Query): AsyncGenerator<Record<string, unknown>> {
    let page: unknown = 1;
    while (typeof page === "number") {
      const { next, results } = await this.object(path, { ...query, page });
      if (!Array.isArray(results) || !results.every(isRecord)) throw notAService(this.#access.base);
      yield* results;
      // a next page that is not after this one would cause an endless loop
      page = typeof next === "number" && next > page ? next : null;
    }
  }

  /**
   * Reads the body of a response. Calls `reading` again if the connection fails.
   *
   * @throws DescribedError with a `ServiceProblem`; errors of `reading`
   */
  async read<T>(
    path: string,
    query: Query,
    reading: (body: ReadableStream<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    const { base, signal, onWait } = this.#access;
    for (let repetition = 0; ; repetition++) {
      signal.throwIfAborted();
      let failure: DescribedError;
      let waitMs = Math.min(FIRST_WAIT_MS * 2 ** repetition, MAX_OWN_WAIT_MS);
      try {
        const response = await this.#send(path, query);
        if (response.ok) return await reading(watched(response));
        waitMs = askedWaitMs(response) ?? waitMs;
        const mayPass = isPassing(response) && waitMs <= MAX_ASKED_WAIT_MS;
        failure = await errorOf(response, base);
        if (!mayPass) throw failure;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ConnectionError)) throw error;
        failure = serviceError("SERVICE_UNAVAILABLE", `${base.href} cannot be reached: ${error.message}.`);
        if (!this.#hasAnswered) throw failure;
      }
      if (repetition === MAX_REPETITIONS) throw failure;
      onWait(waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }

  async #send(path: string, query: Query): Promise<Response> {
    const { base, token, signal } = this.#access;
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    try {
      const headers = { Authorization: `Bearer ${token}`, Accept: "*/*" };
      const response = await fetch(url, { headers, redirect: "manual", signal });
      this.#hasAnswered = true;
      return response;
    } catch (error) {
      throw new ConnectionError(reasonOf(error));
    }
  }
}

/** Returns the body of a response. Errors while reading it become connection errors. */
function watched({ body }: Response): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader?.read().catch((error) => {
          throw new ConnectionError(reasonOf(error));
        });
        if (next?.value === undefined) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Creates the error for a file that ends early although its response looks complete, which some proxies cause. The file is requested again.
 */
export const endedEarly = (): Error => new ConnectionError("a file ended early");

/** Returns the wait in `Retry-After`: seconds or a date (RFC 9110 section 10.2.3). */
function askedWaitMs({ headers }: Response): number | null {
  const value = headers.get("Retry-After")?.trim() ?? "";
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

/** Returns the cause of an error of `fetch`, because the error itself only says "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // several addresses were tried
  const one = cause instanceof AggregateError && cause.message === "" ? cause.errors[0] : cause;
  return one instanceof Error ? one.message : String(one);
}
