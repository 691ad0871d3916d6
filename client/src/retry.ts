/** Options for repeating requests. */
export interface RetryOptions {
  /** Maximum number of retries of a request. Default: 3; 0 disables retries. */
  retries?: number;
  /** The longest wait that the service may ask for, ms. Default: 60 000. If the service asks for more, the client returns the response. */
  maxRetryWaitMs?: number;
  /**
   * Called when the service refuses a request because the session has ended or does not exist. The request waits for the result. If the
   * result is `true`, there is a new session, and the client retries the request once. If it is `false`, or if the service rejects the
   * retry too, the client returns the response.
   */
  onSessionEnd?: () => Promise<boolean>;
}

/** These methods are safe to repeat, because further executions change nothing (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * Returns whether a request can be repeated after this status. A throttled request had no effect. If the database was unavailable, the
 * effect is unknown, so only a request that takes effect at most once can be repeated.
 */
const mayRepeat = ({ method, headers }: Request, status: number): boolean =>
  status === 429 || (status === 503 && (IDEMPOTENT.has(method) || headers.has("Idempotency-Key")));

/** The codes of `X-Error-Code` for requests without valid credentials. */
const WITHOUT_SESSION = new Set(["not_authenticated", "invalid_token"]);

/** Reads `Retry-After`, which is in seconds or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get("Retry-After")?.trim();
  if (!value) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/**
 * Sends a request. Retries it if a 429 or 503 contains `Retry-After` and a retry is safe.
 * @param newRequest creates a new request for each attempt, because a body can be read only once
 */
export async function sendWithRetries(
  newRequest: () => Request,
  fetch: (request: Request) => Promise<Response>,
  { retries = 3, maxRetryWaitMs = 60_000, onSessionEnd }: RetryOptions,
): Promise<Response> {
  let isRenewed = false;
  for (let attempt = 0; ; attempt++) {
    const request = newRequest();
    const response = await fetch(request);
    if (onSessionEnd !== undefined && WITHOUT_SESSION.has(response.headers.get("X-Error-Code") ?? "")) {
      if (isRenewed || !(await onSessionEnd())) return response;
      isRenewed = true;
      await response.body?.cancel();
      continue;
    }
    const waitMs =
      attempt < retries && mayRepeat(request, response.status) ? retryAfterMs(response) : undefined;
    if (waitMs === undefined || waitMs > maxRetryWaitMs) return response;
    await response.body?.cancel();
    await sleep(waitMs, request.signal);
  }
}

/** @throws the reason of the signal when it is aborted */
export function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
