/** An OpenTelemetry collector on loopback that keeps what it gets by OTLP over HTTP in JSON. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** Values of OTLP's JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
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

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 2: server, 3: client, 5: consumer. */
  kind: number;
  attributes: Record<string, unknown>;
  events: unknown[];
  status: { code?: number; message?: string };
  resource: Record<string, unknown>;
  startMs: number;
  endMs: number;
}

export interface CollectedPoint {
  attributes: Record<string, unknown>;
  asDouble?: number;
  count?: number;
  sum?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
}

interface Exported {
  headers: IncomingHttpHeaders;
  /** The body as it came. */
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
  /** The newest points of each metric. */
  readonly metrics = new Map<string, { unit: string; type: string; points: CollectedPoint[] }>();
  readonly exports: Exported[] = [];
  url = "";
  /** Answers nothing while it is false. */
  answers = true;
  stop: () => Promise<void> = async () => undefined;

  static async start(): Promise<Collector> {
    const collector = new Collector();
    const server = createServer(async (request, response) => {
      const body = await json(request);
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

  /** The settings with which a process exports to this collector at once. */
  get settings(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    };
  }

  /** Waits for the first span that a condition holds for. */
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

  // biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP as it comes.
  #take(path: string, body: any): void {
    for (const { resource, scopeSpans } of path === "/v1/traces" ? body.resourceSpans : []) {
      for (const { spans } of scopeSpans) {
        for (const span of spans) {
          this.spans.push({
            ...span,
            attributes: plain(span.attributes),
            resource: plain(resource.attributes),
            startMs: Number(span.startTimeUnixNano) / 1e6,
            endMs: Number(span.endTimeUnixNano) / 1e6,
          });
        }
      }
    }
    for (const { scopeMetrics } of path === "/v1/metrics" ? body.resourceMetrics : []) {
      for (const { metrics } of scopeMetrics) {
        for (const { name, unit, gauge, sum, histogram } of metrics) {
          const { dataPoints } = gauge ?? sum ?? histogram;
          const type = gauge ? "gauge" : sum ? "counter" : "histogram";
          const points = dataPoints.map((point: { attributes: KeyValue[] }) => ({
            ...point,
            attributes: plain(point.attributes),
          }));
          this.metrics.set(name, { unit, type, points });
        }
      }
    }
  }
}
