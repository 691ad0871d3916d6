/**
 * Spans of the service. Uses only the API of OpenTelemetry, which does nothing until `telemetry/` is loaded:
 * https://opentelemetry.io/docs/specs/otel/trace/api/
 */
import {
  type Context,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { newSpanId, type Trace } from "./trace-context.js";

const tracer = trace.getTracer("asi-server");

/** Returns the trace of the current work; undefined if the service records no spans. */
export function currentTrace(): Trace | undefined {
  const current = trace.getActiveSpan()?.spanContext();
  if (current === undefined || !isSpanContextValid(current)) return undefined;
  const { traceId, spanId, traceFlags } = current;
  return { id: traceId, parent: spanId, flags: traceFlags & TraceFlags.SAMPLED ? "01" : "00" };
}

/** Runs work outside the trace of the current request or job. Used for shared work, such as polling for jobs. */
export const outsideOfSpans = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work);

/** Span of a request, and the context in which it is the parent of further spans. */
export interface RequestSpan {
  span: Span;
  context: Context;
}

/**
 * Starts the span of a request, in the trace of the caller if the headers have one.
 * @param route template of the path, such as `/api/v1/devices/{device}/`; undefined for an unknown path, which may contain any
 *   text
 */
export function startRequestSpan(
  method: string,
  route: string | undefined,
  scheme: string,
  headers: object,
): RequestSpan {
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan(
    route === undefined ? method : `${method} ${route}`,
    {
      kind: SpanKind.SERVER,
      attributes: {
        "http.request.method": method,
        "url.scheme": scheme,
        ...(route === undefined ? {} : { "http.route": route }),
      },
    },
    caller,
  );
  return { span, context: trace.setSpan(caller, span) };
}

export const inRequestSpan = <T>(request: RequestSpan | undefined, work: () => T): T =>
  request === undefined ? work() : context.with(request.context, work);

/**
 * Ends the span of a request. Only an error of the service counts as an error, not a refused request.
 * @param status null if the client disconnected before the response began
 * @param isComplete whether the response was sent completely; false if the client disconnected or the service aborted it
 */
export function endRequestSpan({ span }: RequestSpan, status: number | null, isComplete: boolean): void {
  if (status !== null) span.setAttribute("http.response.status_code", status);
  if (!isComplete) span.setAttribute("asi.response_incomplete", true);
  if (status !== null && status >= 500) {
    span.setAttribute("error.type", String(status)).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/**
 * Runs a job in a separate span in the trace that led to the job.
 * @param cause trace of the request or job that added the job
 * @param work receives the trace for jobs and calls caused by the job
 */
export function inJobSpan(
  { kind, jobId }: { kind: string; jobId: string },
  cause: Trace | undefined,
  work: (trace: Trace | undefined) => Promise<void>,
): Promise<void> {
  const parent =
    cause === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId: cause.id,
          spanId: cause.parent ?? newSpanId(),
          traceFlags: cause.flags === "01" ? TraceFlags.SAMPLED : TraceFlags.NONE,
          isRemote: true,
        });
  const options = { kind: SpanKind.CONSUMER, attributes: { "asi.job.kind": kind, "asi.job.id": jobId } };
  return tracer.startActiveSpan(`job ${kind}`, options, parent, async (span) => {
    try {
      await work(currentTrace() ?? cause);
    } finally {
      span.end();
    }
  });
}

/** Records the outcome of the run on the span of the current job. */
export function noteJobOutcome(outcome: string, isError: boolean): void {
  const span = trace.getActiveSpan();
  span?.setAttribute("asi.job.outcome", outcome);
  if (isError) span?.setStatus({ code: SpanStatusCode.ERROR });
}
