import { DataPointType } from "@opentelemetry/sdk-metrics";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { RegistryProducer } from "./metrics.js";

async function collect(registry: Registry) {
  const { resourceMetrics, errors } = await new RegistryProducer(registry, [1_700_000_000, 0]).collect();
  expect(errors).toEqual([]);
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
}

describe("the metrics of the Prometheus registry for OpenTelemetry", () => {
  it("have the same names, labels and values, and a unit that matches the name", async () => {
    const registry = new Registry();
    const registers = [registry];
    new Gauge({ name: "cache_bytes", help: "Memory", registers }).set(42);
    const runs = new Counter({ name: "runs_total", help: "Runs", labelNames: ["kind"], registers });
    runs.inc({ kind: "mail" }, 2);
    runs.inc({ kind: "compute" });
    const [cache, counted] = await collect(registry);
    expect(cache).toMatchObject({
      descriptor: { name: "cache_bytes", description: "Memory", unit: "By" },
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: {}, value: 42 }],
    });
    expect(counted).toMatchObject({
      descriptor: { name: "runs_total", unit: "" },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [
        { attributes: { kind: "mail" }, value: 2, startTime: [1_700_000_000, 0] },
        { attributes: { kind: "compute" }, value: 1 },
      ],
    });
  });

  it("have histograms that count each value in one bucket", async () => {
    const registry = new Registry();
    const duration = new Histogram({
      name: "duration_seconds",
      help: "Time",
      labelNames: ["route"],
      buckets: [0.1, 1],
      registers: [registry],
    });
    for (const seconds of [0.05, 0.5, 0.6, 3]) duration.observe({ route: "/a/" }, seconds);
    duration.observe({ route: "/b/" }, 1);
    const [metric] = await collect(registry);
    expect(metric).toMatchObject({ descriptor: { unit: "s" }, dataPointType: DataPointType.HISTOGRAM });
    expect(metric?.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ route: "/a/" }, { buckets: { boundaries: [0.1, 1], counts: [1, 2, 1] }, sum: 4.15, count: 4 }],
      [{ route: "/b/" }, { buckets: { boundaries: [0.1, 1], counts: [0, 1, 0] }, sum: 1, count: 1 }],
    ]);
  });

  it("omit unreadable metrics and infinite values", async () => {
    const registry = new Registry();
    const registers = [registry];
    new Gauge({
      name: "asi_jobs_waiting",
      help: "Jobs",
      registers,
      async collect() {
        throw new Error("the database is unreachable");
      },
    });
    new Gauge({ name: "replica_age_seconds", help: "Age", registers }).set(Number.POSITIVE_INFINITY);
    new Gauge({ name: "waiting", help: "Requests", registers }).set(3);
    expect((await collect(registry)).map(({ descriptor }) => descriptor.name)).toEqual(["waiting"]);
  });
});
