const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays from each failed attempt to the next one (Standard Webhooks, "Deliverability"). */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** Random fraction of each delay, which spreads simultaneous attempts. */
const JITTER = 0.1;

/** Maximum delay that a receiver may request. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * @param attempts number of failed attempts, from 1
 * @param retryAfterMs delay requested by the receiver
 * @param random from 0 up to 1
 * @returns the time of the next attempt; undefined after the last one
 */
export function nextAttempt(
  attempts: number,
  now: Date,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): Date | undefined {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  const scheduledMs = delayMs * (1 + JITTER * random());
  return new Date(now.getTime() + Math.max(scheduledMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/**
 * @param value value of `Retry-After`: seconds or a date (RFC 9110 section 10.2.3)
 * @returns ms from now; undefined when it is neither
 */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  const date = /^[A-Za-z]{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
