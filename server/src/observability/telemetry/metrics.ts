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

/** A metric of the registry with its method that reads values, which the types of the library omit. */
interface Family {
  name: string;
  help: string;
  type: string;
  values: readonly { metricName?: string; labels: Labels; value: number }[];
}
type Labels = Readonly<Record<string, string | number>>;

/** UCUM units by the suffix of a name, without `_total` of a counter. */
const UNITS = [
  ["_seconds", "s"],
  ["_bytes", "By"],
] as const;

const unitOf = (name: string) => UNITS.find(([end]) => name.replace(/_total$/, "").endsWith(end))?.[1] ?? "";

/**
 * Exports the metrics of the Prometheus registry to OpenTelemetry under the same names. Each metric is defined only
 * once. Omits a metric that cannot be read, such as one counted in an unreachable database.
 */
export class RegistryProducer implements MetricProducer {
  readonly #registry: Registry;
  readonly #startedAt: HrTime;

  /** @param startedAt time at which the counters of the registry started */
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
        // JSON cannot represent infinity.
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

/** Converts the histograms of a family from Prometheus lines: cumulative buckets up to `le`, sum and count. */
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
