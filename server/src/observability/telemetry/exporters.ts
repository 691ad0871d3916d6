import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPMetricExporter as JsonMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { PushMetricExporter, ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import { UsageError } from "../../config/usage-error.js";
import { redacted } from "./redaction.js";

type Environment = Readonly<Record<string, string | undefined>>;
type Signal = "traces" | "metrics";

/** Receives the result of each export. */
export type Exported = (signal: Signal, error: Error | undefined) => void;

const NO_DETAILS = "The receiver refused the data.";

/**
 * Returns the OTLP protocol of a signal; null if the signal is not exported.
 * @throws UsageError for an unsupported exporter or protocol
 */
function protocolOf(env: Environment, signal: Signal): "http/json" | "http/protobuf" | null {
  const variable = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const exporter = env[variable] || "otlp";
  if (exporter === "none") return null;
  if (exporter !== "otlp") throw new UsageError(`${variable}: expected otlp or none.`);
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`;
  const name = env[own] ? own : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const protocol = env[name] || "http/protobuf";
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    throw new UsageError(
      `${name}: expected http/protobuf or http/json. A collector takes both on port 4318.`,
    );
  }
  return protocol;
}

const noting =
  (signal: Signal, exported: Exported, done: (result: ExportResult) => void) => (result: ExportResult) => {
    const isDone = result.code === ExportResultCode.SUCCESS;
    exported(signal, isDone ? undefined : (result.error ?? new Error(NO_DETAILS)));
    done(result);
  };

/** Creates the exporter of spans, which exports only redacted spans; undefined if OTEL_TRACES_EXPORTER is none. */
export function spanExporter(env: Environment, exported: Exported): SpanExporter | undefined {
  const protocol = protocolOf(env, "traces");
  if (protocol === null) return undefined;
  const exporter: SpanExporter =
    protocol === "http/json" ? new JsonTraceExporter() : new ProtobufTraceExporter();
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans.map(redacted), noting("traces", exported, done));
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Creates the exporter of metrics; undefined if OTEL_METRICS_EXPORTER is none. */
export function metricExporter(env: Environment, exported: Exported): PushMetricExporter | undefined {
  const protocol = protocolOf(env, "metrics");
  if (protocol === null) return undefined;
  const exporter = protocol === "http/json" ? new JsonMetricExporter() : new ProtobufMetricExporter();
  return {
    export(metrics: ResourceMetrics, done) {
      exporter.export(metrics, noting("metrics", exported, done));
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
