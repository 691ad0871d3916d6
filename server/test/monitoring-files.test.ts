/** Tests that the files for Prometheus, Grafana and a collector in deploy/ use existing metrics and are consistent. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { measureQueues, measureRawData } from "../src/http/monitoring/resource-metrics.js";
import type { ReadReplica } from "../src/store/connection/read-replica.js";
import { service } from "./service.js";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const ALERTS = join(DEPLOY, "prometheus-alerts.yaml");

const alerts = readFileSync(ALERTS, "utf8");
const dashboard = JSON.parse(readFileSync(join(DEPLOY, "grafana-dashboard.json"), "utf8"));

/** Expressions in the rules. None contains a quoted `#` or a colon at the end of a line. */
const rules = [...alerts.matchAll(/^ +expr: (?:\|\n((?: {10}.*\n)+)|(.+))/gm)].map(
  ([, block, line]) => block ?? line ?? "",
);
const queries: string[] = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
);

/** Returns the metrics in an expression, which are the names before selectors. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/([a-z0-9_]+)\s*\{/g)].map(([, name = ""]) => name);

function promtool(): string | undefined {
  const program = process.env.PROMTOOL ?? "promtool";
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return program;
  } catch {
    console.warn("promtool is not installed: it does not check the alerting rules.");
    return undefined;
  }
}

const checker = promtool();

describe("the alerting rules and the dashboard", () => {
  it("use only existing metrics", async () => {
    const { metrics } = (await service()).service.app;
    const named = (await metrics.metrics()).concat(await metricsOfOtherServers(), "\n# HELP up ");
    const asked = [...rules, ...queries].map((expression) => [expression, metricsIn(expression)] as const);
    expect([rules.length, queries.length].every((count) => count > 8)).toBe(true);
    for (const [expression, names] of asked) {
      expect([expression, names.length]).not.toEqual([expression, 0]);
      for (const name of names)
        expect(named).toMatch(new RegExp(`^# HELP ${name.replace(/_bucket$|_count$/, "")} `, "m"));
    }
  });

  it("have unique panel titles and panels that do not overlap", () => {
    const places = dashboard.panels.map(
      ({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`,
    );
    expect(new Set(places).size).toBe(places.length);
    const titles = dashboard.panels.map(({ title }: { title: string }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it.runIf(checker !== undefined)("have rules that are valid for Prometheus", () => {
    const printed = execFileSync(checker ?? "", ["check", "rules", ALERTS], { encoding: "utf8" });
    expect(printed).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});

/** Returns the metrics that exist only with a replica or with samples on several servers. */
async function metricsOfOtherServers(): Promise<string> {
  const { Registry } = await import("prom-client");
  const registry = new Registry();
  measureRawData(
    registry,
    { bytes: 0, hits: 0, misses: 0 } as never,
    { ageMs: 1_500, current: () => undefined } as ReadReplica,
  );
  const pool = { totalCount: 0, idleCount: 0, waitingForTurn: 0, options: { max: 1 } };
  const states = [{ label: "db1/samples", problem: "timeout" }];
  measureQueues(registry, { waiting: 0 } as never, { pool, sampleServers: { states } } as never);
  const text = await registry.metrics();
  expect(text).toMatch(/^asi_sample_server_up\{server="db1\/samples"\} 0$/m);
  expect(text).toMatch(/^asi_read_replica_age_seconds 1\.5$/m);
  expect(text).toMatch(/^asi_read_replica_used 0$/m);
  return `\n${text}`;
}

describe("the configuration of the collector", () => {
  const text = readFileSync(join(DEPLOY, "otel-collector.yaml"), "utf8");
  // The parser throws an error for duplicate keys and other mistakes.
  const collector = parse(text, { strict: true }) as Record<
    "receivers" | "processors" | "exporters",
    Record<string, unknown>
  > & { service: { pipelines: Record<string, Record<string, string[]>> } };
  const { pipelines } = collector.service;
  const kinds = ["receivers", "processors", "exporters"] as const;

  it("has a pipeline of existing parts for each signal of the service, and uses every part", () => {
    expect(Object.keys(pipelines).sort()).toEqual(["metrics", "traces"]);
    for (const kind of kinds) {
      const used = Object.values(pipelines).flatMap((pipeline) => pipeline[kind] ?? []);
      expect([kind, [...new Set(used)].sort()]).toEqual([kind, Object.keys(collector[kind]).sort()]);
    }
  });

  it("limits the memory first and batches last, as the documentation of the collector recommends", () => {
    for (const { processors } of Object.values(pipelines)) {
      expect([processors?.[0], processors?.at(-1)]).toEqual(["memory_limiter", "batch"]);
    }
  });

  it("listens on the local machine, at the address in the guide", () => {
    const guide = readFileSync(join(DEPLOY, "../docs/observability.md"), "utf8");
    const [, address] = /OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/(\S+)/.exec(guide) ?? [];
    expect(collector.receivers).toEqual({ otlp: { protocols: { http: { endpoint: address } } } });
  });
});
