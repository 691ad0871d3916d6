/** The files for Prometheus and Grafana in deploy/: they ask for metrics that the service has. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { measureQueues, measureRawData } from "../src/http/resource-metrics.js";
import type { ReadReplica } from "../src/store/read-replica.js";
import { service } from "./service.js";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const ALERTS = join(DEPLOY, "prometheus-alerts.yaml");

const alerts = readFileSync(ALERTS, "utf8");
const dashboard = JSON.parse(readFileSync(join(DEPLOY, "grafana-dashboard.json"), "utf8"));

/** The expressions of the rules; none contains a quoted `#` or a colon at a line's end. */
const rules = [...alerts.matchAll(/^ +expr: (?:\|\n((?: {10}.*\n)+)|(.+))/gm)].map(
  ([, block, line]) => block ?? line ?? "",
);
const queries: string[] = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
);

/** The metrics of an expression: names before a selector. */
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
  it("ask only for metrics that a process has", async () => {
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

  it("the panels have titles of their own and do not overlap", () => {
    const places = dashboard.panels.map(
      ({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`,
    );
    expect(new Set(places).size).toBe(places.length);
    const titles = dashboard.panels.map(({ title }: { title: string }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it.runIf(checker !== undefined)("the rules are valid for Prometheus", () => {
    const printed = execFileSync(checker ?? "", ["check", "rules", ALERTS], { encoding: "utf8" });
    expect(printed).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});

/** Metrics that are there only with a replica, or with samples on several servers. */
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
  expect(text).toMatch(/^sample_server_up\{server="db1\/samples"\} 0$/m);
  expect(text).toMatch(/^read_replica_age_seconds 1\.5$/m);
  expect(text).toMatch(/^read_replica_used 0$/m);
  return `\n${text}`;
}
