/**
 * Starts OpenTelemetry: traces and metrics by OTLP over HTTP. This folder and its libraries are loaded only if
 * OTEL_EXPORTER_OTLP_ENDPOINT is set. The bundle of the service contains the libraries, so it needs no import hooks.
 */
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { context, DiagLogLevel, diag, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { getNumberFromEnv, hrTime, W3CTraceContextPropagator } from "@opentelemetry/core";
import { registerInstrumentations } from "@opentelemetry/instrumentation";
import { PgInstrumentation } from "@opentelemetry/instrumentation-pg";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { FastifyBaseLogger } from "fastify";
import type { Registry } from "prom-client";
import serverPackage from "../../../package.json" with { type: "json" };
import { type Exported, metricExporter, spanExporter } from "./exporters.js";
import { RegistryProducer } from "./metrics.js";

const DEFAULT_INTERVAL_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 30_000;

export interface Telemetry {
  /** Starts exporting the metrics and writing to the log. */
  attach(registry: Registry, log: FastifyBaseLogger): void;
  /** Exports the remaining data. Resolves after at most the given time. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Starts to record spans. Call it before the database and undici are used.
 * @param role part of the service that this process runs
 * @throws UsageError for a variable with an unsupported value
 */
export function startTelemetry(env: NodeJS.ProcessEnv, role: string): Telemetry {
  const warnings: string[] = [];
  let log: FastifyBaseLogger | undefined;
  const warn = (text: string) => {
    if (log === undefined) warnings.push(text);
    else log.warn(text);
  };
  // The libraries report invalid variables during creation. Later reports would repeat the result of each export.
  const noted = (text: string) => warn(text);
  diag.setLogger(
    { error: noted, warn: noted, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const failing = new Set<string>();
  const exported: Exported = (signal, error) => {
    if (error === undefined) {
      if (failing.delete(signal)) log?.info({ signal }, "telemetry is exported again");
    } else if (!failing.has(signal)) {
      failing.add(signal);
      log?.warn({ err: error, signal }, "telemetry is not exported; the oldest waiting data is dropped");
    }
  };

  const resource = resourceFromAttributes({
    "service.name": "asi-server",
    "service.version": serverPackage.version,
    "service.instance.id": randomUUID(),
    "host.name": hostname(),
    "asi.role": role,
  }).merge(detectResources({ detectors: [envDetector] }));
  const startedAt = hrTime();

  const intervalMs = positiveOr(DEFAULT_INTERVAL_MS, getNumberFromEnv("OTEL_METRIC_EXPORT_INTERVAL"));
  const timeoutMs = positiveOr(DEFAULT_TIMEOUT_MS, getNumberFromEnv("OTEL_METRIC_EXPORT_TIMEOUT"));
  const exporter = spanExporter(env, exported);
  const metrics = metricExporter(env, exported);
  const provider =
    exporter && new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  if (provider !== undefined) recordSpans(provider);
  diag.disable();

  let meters: MeterProvider | undefined;
  return {
    attach(registry, given) {
      log = given;
      for (const text of warnings) log.warn(text);
      if (metrics === undefined) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: metrics,
        exportIntervalMillis: intervalMs,
        exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
        metricProducers: [new RegistryProducer(registry, startedAt)],
      });
      meters = new MeterProvider({ resource, readers: [reader] });
    },
    async stop(timeoutMs) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        Promise.allSettled([provider?.shutdown(), meters?.shutdown()]),
        new Promise((resolve) => {
          timer = setTimeout(resolve, timeoutMs);
        }),
      ]);
      clearTimeout(timer);
    },
  };
}

const positiveOr = (fallback: number, given: number | undefined) =>
  given !== undefined && given > 0 ? given : fallback;

function recordSpans(tracerProvider: BasicTracerProvider): void {
  trace.setGlobalTracerProvider(tracerProvider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Do not propagate baggage, which would send data of a caller to the receivers of webhooks.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  registerInstrumentations({
    tracerProvider,
    instrumentations: [
      // Do not trace polling for jobs.
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
      new UndiciInstrumentation({ requireParentforSpans: true }),
    ],
  });
  // The instrumentation patches the required module, and imports of ES modules get the same objects.
  createRequire(import.meta.url)("pg");
}
