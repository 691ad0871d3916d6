import { AsiError } from "asi-convert";
import type { BulkLoadPayload } from "../domain/bulk-load/accept.js";
import { loadRecording, NoRecording } from "../domain/bulk-load/load.js";
import { RecordingRefused } from "../domain/bulk-load/refusal.js";
import type { Context } from "../domain/change/context.js";
import { ServiceError } from "../domain/change/errors.js";
import { QuotaExceeded } from "../domain/change/quotas.js";
import { recordRest } from "../domain/change-log/figures-rest.js";
import { computedDataOf } from "../domain/computed-data/compute.js";
import { markRest } from "../domain/computed-data/mark-rest.js";
import { TooManySamples } from "../domain/computed-data/sample-limit.js";
import { announceNoted } from "../domain/raw-data/noted-removal.js";
import { announceStreamed } from "../domain/recording-streams/changes.js";
import { claimFigures } from "../domain/sessions/claim-figures.js";
import { computeSessionFigures } from "../domain/sessions/compute-figures.js";
import { deriveSessions } from "../domain/sessions/derive-rest.js";
import type { QueuedDerivation } from "../domain/sessions/derive-sessions.js";
import { attemptDelivery } from "../domain/webhooks/attempt.js";
import { fanOut } from "../domain/webhooks/fan-out.js";
import { vacuumAfterLoad } from "../store/embedded/vacuum.js";
import type { JobKind } from "../store/queue/job-queue.js";
import { Turn } from "../store/queue/turn.js";
import { JobFailed, type JobHandler, NotYet, RetryLater } from "./handler.js";
import { mailHandler } from "./mail.js";

const HOUR_MS = 3_600_000;

/** Delay before a throttled job runs again. */
const THROTTLED_MS = 10_000;

/** Delay before a job runs again if another job of its session must end first. */
const RUNNING_MS = 1_000;

/** A transient error is retried three times, after 1, 2 and 4 seconds. */
const bulkLoadHandler: JobHandler = {
  isReported: true,
  maxFailures: 3,
  delayMs: (failure) => 1000 * 2 ** (failure - 1),
  counts: ({ samples_stored, samples_known, samples_refused }) => ({
    stored: Number(samples_stored),
    known: Number(samples_known),
    refused: Number(samples_refused),
  }),
  async run(ctx, job) {
    const { details, ...payload } = job.payload as unknown as BulkLoadPayload & {
      details?: Record<string, unknown>;
    };
    // An earlier worker has committed the load but stopped before it recorded the outcome.
    if (details !== undefined) return details;
    try {
      const loaded = await loadRecording(ctx, job, payload);
      // The load succeeds even if the vacuum fails; retention repeats it.
      await vacuumAfterLoad(ctx).catch(() => undefined);
      return loaded;
    } catch (error) {
      if (error instanceof AsiError) throw new JobFailed(error.code, error.message);
      if (error instanceof NoRecording) throw new JobFailed("no_recording", error.message);
      if (error instanceof RecordingRefused) throw new JobFailed(error.code, error.message);
      if (error instanceof QuotaExceeded) throw new JobFailed(error.code, error.advice);
      throw error;
    }
  },
};

/**
 * Runs a computation. If too many others are waiting, or a change to its inputs is in progress, the job runs again later. This does not
 * count as a failure.
 */
async function unlessThrottled<T>({ clock }: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "throttled")
      throw new NotYet(new Date(clock.now().getTime() + THROTTLED_MS));
    throw error;
  }
}

/** Updates the computed data of the time frame in the payload. */
const computeHandler: JobHandler = {
  maxFailures: 3,
  delayMs: (failure) => 10_000 * 4 ** (failure - 1),
  keptDetails: ({ payload }) => ({ timeframe: payload.timeframe }),
  async run(ctx, { payload, chargedTo }) {
    const timeframe = Number(payload.timeframe);
    const result = await unlessThrottled(ctx, () => computedDataOf(ctx, timeframe, chargedTo)).catch(
      (error: unknown) => {
        throw error instanceof TooManySamples ? new JobFailed(error.code, error.reason) : error;
      },
    );
    return result === undefined ? { timeframe, deleted: true } : { timeframe };
  },
};

/**
 * Marks computed data as stale after a change. Only the database can cause a failure, so the job is retried without
 * limit.
 */
const recomputeHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, { payload }) {
    await markRest(ctx, Number(payload.recomputation), new Turn());
    return {};
  },
};

/** Derives the time frames of sessions after a change to their players. Only the database can cause a failure. */
const deriveHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  run: async (ctx, { payload }) => ({
    ...(await deriveSessions(ctx, payload as unknown as QueuedDerivation, new Turn())),
  }),
};

/** Computes the figures of the session in the payload. */
const sessionFiguresHandler: JobHandler = {
  maxFailures: 3,
  delayMs: (failure) => 10_000 * 4 ** (failure - 1),
  keptDetails: ({ payload }) => ({ session: payload.session }),
  async run(ctx, job) {
    const session = Number(job.payload.session);
    const claim = await claimFigures(ctx, session, job);
    if (claim === "is superseded") return { session, superseded: true };
    if (claim === "waits") throw new NotYet(new Date(ctx.clock.now().getTime() + RUNNING_MS));
    const players = await unlessThrottled(ctx, () => computeSessionFigures(ctx, session, job, new Turn()));
    return players === undefined ? { session, deleted: true } : { session, players };
  },
};

/** Records changed figures. Only the database can cause a failure. */
const recordFiguresHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  run: async (ctx, job) => ({ ...(await recordRest(ctx, job, new Turn())) }),
};

/** Applies the effects of streamed samples to computed data. Only the database can cause a failure. */
const streamEffectsHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, { payload }) {
    await announceStreamed(ctx, Number(payload.device));
    return {};
  },
};

/** Announces a removal of samples if a failure prevented the announcement. Only the database can cause a failure. */
const removalHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, { payload }) {
    await announceNoted(ctx, payload);
    return {};
  },
};

/**
 * Calls a webhook. The delivery records its attempts and the time of the next one; the job only triggers it. Lost
 * workers never fail the job, because a worker that stops during a call may not have delivered the event.
 */
const webhookHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  // Retries errors that the receiver did not cause: an unavailable database, or a server key that cannot decrypt the
  // secret.
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, job) {
    const next = await attemptDelivery(ctx, job);
    if (next !== undefined) throw new RetryLater(next.at, next.problem);
    return {};
  },
};

/**
 * Writes the deliveries of a change with many deliveries. Only the database can cause a failure, so the job is retried
 * without limit.
 */
const webhookFanOutHandler: JobHandler = {
  maxFailures: Number.POSITIVE_INFINITY,
  maxLosses: Number.POSITIVE_INFINITY,
  delayMs: (failure) => Math.min(10_000 * 2 ** (failure - 1), HOUR_MS),
  async run(ctx, job) {
    return { ...(await fanOut(ctx, job, new Turn())) };
  },
};

/** One handler per kind of job. */
export const handlers: Partial<Record<JobKind, JobHandler>> = {
  "bulk-load": bulkLoadHandler,
  mail: mailHandler,
  compute: computeHandler,
  recompute: recomputeHandler,
  derive: deriveHandler,
  "session-figures": sessionFiguresHandler,
  "record-figures": recordFiguresHandler,
  "stream-effects": streamEffectsHandler,
  removal: removalHandler,
  webhook: webhookHandler,
  "webhook-fan-out": webhookFanOutHandler,
};
