/** Tests settings of OpenTelemetry: failing collectors, the standard variables, and a service without telemetry. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { Collector, linesOf, newCaller } from "./collector.js";
import { Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

describe("a collector that does not answer", () => {
  it("neither delays nor stops the service, which logs the failure once, and waits only briefly when it stops", async () => {
    const collector = await Collector.start();
    stopAfterTest(() => collector.stop());
    // A collector that accepts data but never responds.
    collector.answers = false;
    const processes = await Processes.onNewDatabase({
      ...collector.settings,
      OTEL_EXPORTER_OTLP_TIMEOUT: "300",
      // The service reports this value and uses the default.
      OTEL_TRACES_SAMPLER: "sometimes",
      LOG_LEVEL: "info",
      SHUTDOWN_TIMEOUT_MS: "1000",
    });
    const { url, output, terminate } = await processes.start();
    for (let request = 0; request < 50; request++) await fetch(`${url}/api/v1/account/`);
    const warnings = () => linesOf(output()).filter(({ msg }) => msg.startsWith("telemetry"));
    await collector.wait(() => (warnings().length >= 2 ? true : undefined), "the warnings");
    // Wait for three more exports, after which a second export of one signal has failed.
    const sent = collector.exports.length;
    await fetch(`${url}/api/v1/account/`);
    await collector.wait(() => (collector.exports.length >= sent + 3 ? true : undefined), "more exports");
    expect(output()).toContain('OTEL_TRACES_SAMPLER value \\"sometimes\\" invalid');
    expect(
      warnings()
        .map(({ signal }) => signal)
        .sort(),
    ).toEqual(["metrics", "traces"]);
    const begun = performance.now();
    expect(await terminate()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(linesOf(output()).at(-1)?.msg).toBe("stopped");
  });
});

describe("the standard variables", () => {
  it("set the service name and the sampler, and SIGTERM exports the remaining data", async () => {
    const collector = await Collector.start();
    stopAfterTest(() => collector.stop());
    const processes = await Processes.onNewDatabase({
      ...collector.settings,
      // Use an interval longer than the test, so only the end of the process exports.
      OTEL_BSP_SCHEDULE_DELAY: "600000",
      OTEL_METRIC_EXPORT_INTERVAL: "600000",
      OTEL_SERVICE_NAME: "tracking",
      OTEL_TRACES_SAMPLER: "parentbased_always_off",
    });
    const { url, terminate } = await processes.start();
    const sampled = newCaller();
    await fetch(`${url}/api/v1/account/`);
    await fetch(`${url}/api/v1/account/`, { headers: { traceparent: sampled.header } });
    expect(collector.spans).toEqual([]);
    expect(await terminate()).toBe(0);
    expect([...new Set(collector.spans.map(({ traceId }) => traceId))]).toEqual([sampled.trace]);
    expect(collector.spans[0]?.resource["service.name"]).toBe("tracking");
    expect(collector.metrics.get("http_request_duration_seconds")?.points[0]?.count).toBe(2);
  });

  it("are refused with a message if the service does not support them", async () => {
    const processes = await Processes.onNewDatabase({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
    const refusals = [
      { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      { OTEL_TRACES_EXPORTER: "zipkin" },
      { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
    ].map((settings) => processes.refusal([], settings));
    expect(await Promise.all(refusals)).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL: expected http\/protobuf or http\/json\..*\n$/),
      expect.stringMatching(/^OTEL_TRACES_EXPORTER: expected otlp or none\.\n$/),
      expect.stringContaining("OTEL_EXPORTER_OTLP_ENDPOINT: expected"),
    ]);
  });
});

describe("a service without OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("loads only the interface of OpenTelemetry, which its metrics use", async () => {
    const folder = join(newScratchFolder(), "coverage");
    mkdirSync(folder);
    const processes = await Processes.onNewDatabase();
    // With this setting, Node.js writes a list of all loaded scripts.
    const { url, terminate } = await processes.startWith({ NODE_V8_COVERAGE: folder });
    await fetch(`${url}/api/v1/account/`);
    expect(await terminate()).toBe(0);
    const read = readdirSync(folder).flatMap((name) =>
      JSON.parse(readFileSync(join(folder, name), "utf8")).result.map(
        (script: { url: string }) => script.url,
      ),
    ) as string[];
    expect(read.some((script) => script.endsWith("/server/dist/main.js"))).toBe(true);
    expect(read.some((script) => script.includes("/node_modules/@opentelemetry/api/"))).toBe(true);
    const loaded = read.filter((script) => /opentelemetry|in-the-middle|dist\/start-/.test(script));
    expect(loaded.filter((script) => !script.includes("/node_modules/@opentelemetry/api/"))).toEqual([]);
  });

  it("ignores the other variables, as it does with OTEL_SDK_DISABLED", async () => {
    const processes = await Processes.onNewDatabase({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", PORT: "9", METRICS_PORT: "9" };
    const refusals = ["false", "true"].map((OTEL_SDK_DISABLED) =>
      processes.refusal([], { ...settings, OTEL_SDK_DISABLED }),
    );
    expect(await Promise.all(refusals)).toEqual([
      expect.stringContaining("OTEL_EXPORTER_OTLP_PROTOCOL"),
      expect.stringMatching(/^METRICS_PORT/),
    ]);
  });
});
