/** An OpenTelemetry collector on the loopback interface that keeps the OTLP exports it receives over HTTP as JSON. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** Values in the JSON encoding of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface AnyValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
interface KeyValue {
  key: string;
  value: AnyValue;
}

interface SpanFields {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 2: server, 3: client, 5: consumer. */
  kind: number;
  events: unknown[];
  status: { code?: number; message?: string };
}

export interface CollectedSpan extends SpanFields {
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
  startMs: number;
  endMs: number;
}

interface PointFields {
  asDouble?: number;
  count?: number;
  sum?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
}

export interface CollectedPoint extends PointFields {
  attributes: Record<string, unknown>;
}

/** A span as received. */
interface SpanMessage extends SpanFields {
  attributes?: KeyValue[];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

interface Points {
  dataPoints: (PointFields & { attributes?: KeyValue[] })[];
}

interface MetricMessage {
  name: string;
  unit: string;
  gauge?: Points;
  sum?: Points;
  histogram?: Points;
}

/** Body of an export; it contains one of the two members. */
interface ExportMessage {
  resourceSpans?: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: SpanMessage[] }[] }[];
  resourceMetrics?: { scopeMetrics: { metrics: MetricMessage[] }[] }[];
}

interface Exported {
  headers: IncomingHttpHeaders;
  /** Body as received. */
  text: string;
}

const plain = (list: readonly KeyValue[] = []) =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );

export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** Newest data points of each metric. */
  readonly metrics = new Map<string, { unit: string; type: string; points: CollectedPoint[] }>();
  readonly exports: Exported[] = [];
  url = "";
  /** Set to false to stop all responses. */
  answers = true;
  stop: () => Promise<void> = async () => undefined;

  static async start(): Promise<Collector> {
    const collector = new Collector();
    const server = createServer(async (request, response) => {
      const body = (await json(request)) as ExportMessage;
      collector.exports.push({ headers: request.headers, text: JSON.stringify(body) });
      collector.#take(request.url ?? "", body);
      if (collector.answers) response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    collector.stop = () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
    return collector;
  }

  /** Settings that make a process export to this collector immediately. */
  get settings(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    };
  }

  /** Waits for the first span that matches a condition. */
  async span(isIt: (span: CollectedSpan) => boolean, what: string): Promise<CollectedSpan> {
    return this.wait(() => this.spans.find(isIt), what);
  }

  async wait<T>(look: () => T | undefined, what: string): Promise<T> {
    for (let tries = 0; tries < 1_000; tries++) {
      const found = look();
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error(`${what} did not come: ${this.spans.map(({ name }) => name).join(", ")}`);
  }

  #take(path: string, { resourceSpans = [], resourceMetrics = [] }: ExportMessage): void {
    for (const { resource, scopeSpans } of path === "/v1/traces" ? resourceSpans : []) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({
          ...span,
          attributes: plain(span.attributes),
          resource: plain(resource.attributes),
          startMs: Number(span.startTimeUnixNano) / 1e6,
          endMs: Number(span.endTimeUnixNano) / 1e6,
        });
      }
    }
    for (const { scopeMetrics } of path === "/v1/metrics" ? resourceMetrics : []) {
      for (const { name, unit, ...values } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
        const { gauge, sum, histogram } = values;
        const type = gauge ? "gauge" : sum ? "counter" : "histogram";
        const { dataPoints = [] } = gauge ?? sum ?? histogram ?? {};
        const points = dataPoints.map((point) => ({ ...point, attributes: plain(point.attributes) }));
        this.metrics.set(name, { unit, type, points });
      }
    }
  }
}

/** Returns a new trace id and the `traceparent` header of a caller. */
export function newCaller() {
  const trace = randomBytes(16).toString("hex");
  const parent = randomBytes(8).toString("hex");
  return { trace, parent, header: `00-${trace}-${parent}-01` };
}

interface Line {
  msg: string;
  trace?: string;
  [field: string]: unknown;
}
/** Returns the log lines of a process. */
export const linesOf = (output: string): Line[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
