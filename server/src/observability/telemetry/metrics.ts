import { type HrTime, ValueType } from "@opentelemetry/api";
import { hrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { Registry } from "prom-client";

/** A metric of the registry as it reads itself. The types of the library leave out that all of them can. */
interface Family {
  name: string;
  help: string;
  type: string;
  values: readonly { metricName?: string; labels: Labels; value: number }[];
}
type Labels = Readonly<Record<string, string | number>>;

/** Units of UCUM by the end of a name, after `_total` of a counter. */
const UNITS = [
  ["_seconds", "s"],
  ["_bytes", "By"],
] as const;

const unitOf = (name: string) => UNITS.find(([end]) => name.replace(/_total$/, "").endsWith(end))?.[1] ?? "";

/**
 * Gives the metrics of the Prometheus registry to OpenTelemetry, under the same names, so that each is defined once. A metric
 * that cannot be read, such as one that is counted in a database that is unreachable, is missing, and the others are given.
 */
export class RegistryProducer implements MetricProducer {
  readonly #registry: Registry;
  readonly #startedAt: HrTime;

  /** @param startedAt since when the counters of the registry count */
  constructor(registry: Registry, startedAt: HrTime) {
    this.#registry = registry;
    this.#startedAt = startedAt;
  }

  async collect(): Promise<CollectionResult> {
    const read = await Promise.allSettled(
      this.#registry
        .getMetricsAsArray()
        .map((metric) => (metric as unknown as { get(): Promise<Family> }).get()),
    );
    const endTime = hrTime();
    const metrics = read.flatMap((one) =>
      one.status === "fulfilled" ? this.#converted(one.value, endTime) : [],
    );
    return {
      resourceMetrics: {
        resource: emptyResource(),
        scopeMetrics: metrics.length === 0 ? [] : [{ scope: { name: "asi-server" }, metrics }],
      },
      errors: [],
    };
  }

  #converted(family: Family, endTime: HrTime): MetricData[] {
    const { name, help: description, values } = family;
    const base = {
      descriptor: { name, description, unit: unitOf(name), valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const point = <T>(attributes: Labels, value: T): DataPoint<T> => ({
      startTime: this.#startedAt,
      endTime,
      attributes,
      value,
    });
    switch (family.type) {
      case "histogram": {
        const dataPoints = histogramsOf(values).map(({ labels, histogram }) => point(labels, histogram));
        return dataPoints.length === 0
          ? []
          : [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
      }
      case "counter":
      case "gauge": {
        // JSON has no infinite numbers.
        const dataPoints = values
          .filter(({ value }) => Number.isFinite(value))
          .map(({ labels, value }) => point(labels, value));
        if (dataPoints.length === 0) return [];
        return family.type === "gauge"
          ? [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints }]
          : [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
      }
      default:
        return [];
    }
  }
}

interface LabelledHistogram {
  labels: Labels;
  histogram: Histogram;
}

/** The histograms of a family, whose values are lines of Prometheus: buckets that count all values up to `le`, sum and count. */
function histogramsOf(values: Family["values"]): LabelledHistogram[] {
  const found = new Map<string, LabelledHistogram & { upTo: number }>();
  for (const { metricName = "", labels, value } of values) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    let one = found.get(key);
    if (one === undefined) {
      one = {
        labels: own,
        histogram: { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 },
        upTo: 0,
      };
      found.set(key, one);
    }
    const { histogram } = one;
    if (metricName.endsWith("_sum")) histogram.sum = value;
    else if (metricName.endsWith("_count")) histogram.count = value;
    else {
      histogram.buckets.counts.push(value - one.upTo);
      one.upTo = value;
      if (le !== "+Inf") histogram.buckets.boundaries.push(Number(le));
    }
  }
  return [...found.values()].map(({ labels, histogram }) => ({ labels, histogram }));
}
