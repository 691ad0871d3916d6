/** Tests which data an OpenTelemetry collector gets from the built service, and which data it never gets. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CollectedSpan, Collector, linesOf, newCaller } from "./collector.js";
import { Processes, type RunningProcess } from "./processes.js";
import { type Receiver, startReceiver } from "./receiver.js";
import { walk } from "./recordings.js";

const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;

const PASSWORD = "a long passphrase";
const EMAIL_HOST = "example.org";
const SECRET = "a secret of the receiver";
const START = "2026-01-05T10:00:00.000Z";

describe("a service with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  let collector: Collector;
  let receiver: Receiver;
  let processes: Processes;
  let running: RunningProcess;
  let ann: { id: number; token: string };

  const call = (method: string, path: string, traceparent: string, body?: unknown) =>
    fetch(`${running.url}${path}`, {
      method,
      headers: {
        traceparent,
        Authorization: `Bearer ${ann.token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const inTrace = (trace: string) => collector.spans.filter(({ traceId }) => traceId === trace);
  const below = (spans: readonly CollectedSpan[], parent: CollectedSpan) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);

  beforeAll(async () => {
    [collector, receiver] = await Promise.all([Collector.start(), startReceiver()]);
    processes = await Processes.onNewDatabase({
      ...collector.settings,
      LOG_LEVEL: "info",
      WEBHOOK_ALLOW_PRIVATE: "true",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=club",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
    });
    running = await processes.start();
    ann = await processes.manager(running, "ann");
  });

  afterAll(async () => {
    await processes.end();
    await Promise.all([collector.stop(), receiver.stop()]);
  });

  it("records a request in the trace of the caller, with its route, its status, and its statements", async () => {
    const caller = newCaller();
    const device = await processes.ownedDevice(running, ann.token, "TRACED");
    expect((await call("GET", `/api/v1/devices/${device}/?secret=hidden`, caller.header)).status).toBe(200);
    const server = await collector.span(
      ({ traceId, kind }) => traceId === caller.trace && kind === SERVER,
      "the span of the request",
    );
    expect(server).toMatchObject({
      name: "GET /api/v1/devices/{device}/",
      parentSpanId: caller.parent,
      status: { code: 0 },
    });
    expect(server.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/api/v1/devices/{device}/",
      "http.response.status_code": 200,
      "url.scheme": "http",
    });
    expect(server.resource).toMatchObject({
      "service.name": "asi-server",
      "service.version": "0.1.0",
      "service.instance.id": expect.any(String),
      "asi.role": "all",
      "deployment.environment": "test",
    });
    const statements = below(inTrace(caller.trace), server);
    expect(statements.length).toBeGreaterThan(1);
    for (const { name, kind, attributes, startMs, endMs } of statements) {
      expect([name, kind]).toEqual([expect.stringMatching(/^(SELECT|INSERT)$/), CLIENT]);
      expect(attributes).toMatchObject({ "db.system.name": "postgresql" });
      expect(String(attributes["db.query.text"])).toMatch(
        /^\s*(select|SELECT|insert|INSERT|WITH|with|update|UPDATE) /,
      );
      expect(startMs).toBeGreaterThanOrEqual(server.startMs - 1);
      expect(endMs).toBeLessThanOrEqual(server.endMs + 1);
    }
    expect(collector.exports[0]?.headers).toMatchObject({ "x-tenant": "club" });
  });

  it("does not record a refused request as an error, and logs the trace of each request", async () => {
    const caller = newCaller();
    expect((await call("GET", "/api/v1/devices/999999/", caller.header)).status).toBe(404);
    const refused = await collector.span(
      ({ traceId, kind }) => traceId === caller.trace && kind === SERVER,
      "it",
    );
    expect(refused).toMatchObject({ status: { code: 0 }, attributes: { "http.response.status_code": 404 } });
    // The log also contains a trace if the caller sends none.
    await fetch(`${running.url}/api/v1/account/`);
    await collector.wait(
      () => (linesOf(running.output()).at(-1)?.path === "/api/v1/account/" ? true : undefined),
      "the line",
    );
    const lines = linesOf(running.output()).filter(
      ({ msg, path }) => msg === "request" && path !== "/health/ready/",
    );
    expect(lines.length).toBeGreaterThan(5);
    for (const { trace } of lines) expect(trace).toMatch(/^[0-9a-f]{32}$/);
    expect(lines.map(({ trace }) => trace)).toContain(caller.trace);
    await collector.span(
      ({ traceId }) => traceId === lines.at(-1)?.trace,
      "the trace that the service began",
    );
  });

  it("records no ticket for live data, neither in spans nor in the log", async () => {
    const { ticket } = (await (await call("POST", "/api/v2/live-tickets/", newCaller().header)).json()) as {
      ticket: string;
    };
    // The second use is refused.
    for (const status of [200, 401]) {
      const caller = newCaller();
      const left = new AbortController();
      const headers = { traceparent: caller.header };
      const answer = await fetch(`${running.url}/api/v2/live/?ticket=${ticket}`, {
        headers,
        signal: left.signal,
      });
      expect(answer.status).toBe(status);
      const span = await collector.span(
        ({ traceId, kind }) => traceId === caller.trace && kind === SERVER,
        "the span of the request",
      );
      expect(span.name).toBe("GET /api/v2/live/");
      left.abort();
    }
    await collector.wait(
      () => (linesOf(running.output()).some(({ path }) => path === "/api/v2/live/") ? true : undefined),
      "the line",
    );
    expect(collector.exports.some(({ text }) => text.includes("/api/v2/live/"))).toBe(true);
    expect(collector.exports.some(({ text }) => text.includes(ticket))).toBe(false);
    expect(running.output()).not.toContain(ticket);
  });

  it("records a request without a status if its client disconnects", async () => {
    const caller = newCaller();
    const { port, hostname } = new URL(running.url);
    const socket = connect(Number(port), hostname);
    // The body never arrives completely. The response to Expect shows that the service has read the headers.
    socket.write(
      `POST /api/v1/managers/ HTTP/1.1\r\nHost: a\r\ntraceparent: ${caller.header}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{`,
    );
    await once(socket, "data");
    socket.destroy();
    const left = await collector.span(
      ({ traceId, kind }) => traceId === caller.trace && kind === SERVER,
      "the span of the request",
    );
    expect(left).toMatchObject({ name: "POST /api/v1/managers/", status: { code: 0 } });
    expect(left.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/api/v1/managers/",
      "url.scheme": "http",
      "asi.response_incomplete": true,
    });
  });

  it("records the job of a bulk load, and its statements, under the request that added it", async () => {
    const caller = newCaller();
    const device = await processes.ownedDevice(running, ann.token, "LOADED");
    const recording = Buffer.from(await walk("LOADED", START, 50)).toString("base64");
    const answer = await call("POST", `/api/v1/devices/${device}/bulk-load/`, caller.header, {
      asi_b64: recording,
    });
    expect(answer.status).toBe(200);
    const { job_id } = await answer.json();
    const job = await collector.span(
      ({ attributes }) => attributes["asi.job.id"] === job_id,
      "the span of the job",
    );
    const request = await collector.span(
      ({ traceId, kind }) => traceId === caller.trace && kind === SERVER,
      "the span of the request",
    );
    expect(job).toMatchObject({
      name: "job bulk-load",
      kind: CONSUMER,
      traceId: caller.trace,
      parentSpanId: request.spanId,
      attributes: { "asi.job.kind": "bulk-load", "asi.job.outcome": "success" },
    });
    expect(
      below(inTrace(caller.trace), job).map(({ attributes }) => attributes["db.query.text"]),
    ).toContainEqual(expect.stringContaining("sample_chunks"));
    const done = () =>
      linesOf(running.output()).find((line) => line.msg === "job done" && line.job === job_id);
    await expect.poll(() => done()?.trace).toBe(caller.trace);
  });

  it("records the call to a webhook, and passes this span to the receiver", async () => {
    const caller = newCaller();
    const schemas = await (
      await call("GET", "/api/v1/json-schemas/?search=soccer&type=1", caller.header)
    ).json();
    const activity = await (
      await call("POST", "/api/v1/activities/", caller.header, {
        name: "Match",
        json: { sport: "soccer" },
        json_schema: schemas.results[0].id,
        owner: ann.id,
      })
    ).json();
    const hook = await call("POST", `/api/v1/activities/${activity.id}/webhooks/`, caller.header, {
      webhook_url: `${receiver.url}/private-part-of-a-path`,
      secret_token: SECRET,
      activity_events: true,
      timeframes_events: false,
    });
    expect(hook.status).toBe(200);
    const changing = newCaller();
    await call("PUT", `/api/v1/activities/${activity.id}/`, changing.header, { ...activity, name: "Final" });
    const posted = await collector.span(
      ({ traceId, kind, name }) => traceId === changing.trace && kind === CLIENT && name === "POST",
      "the span of the call",
    );
    expect(posted.attributes).toEqual({
      "http.request.method": "POST",
      "http.response.status_code": 204,
      "server.address": "127.0.0.1",
      "server.port": receiver.port,
      "url.scheme": "http",
    });
    const job = await collector.span(
      ({ spanId }) => spanId === posted.parentSpanId,
      "the span of the delivery",
    );
    expect(job).toMatchObject({ name: "job webhook", traceId: changing.trace });
    const got = receiver.received.at(-1)?.headers.traceparent;
    expect(got).toBe(`00-${changing.trace}-${posted.spanId}-01`);
  });

  it("exports the metrics of /metrics under the same names", async () => {
    const requests = () => collector.metrics.get("http_request_duration_seconds");
    const tokens = await collector.wait(
      () =>
        requests()?.points.find(
          ({ attributes: { route, status } }) => route === "/oauth2/token/" && status === 200,
        ),
      "the request for a token",
    );
    expect(requests()).toMatchObject({ unit: "s", type: "histogram" });
    expect(tokens).toMatchObject({ count: 1, attributes: { method: "POST", status: 200 } });
    expect(tokens.bucketCounts).toHaveLength((tokens.explicitBounds?.length ?? 0) + 1);
    expect(tokens.bucketCounts?.reduce((sum, count) => sum + Number(count))).toBe(1);
    expect(collector.metrics.get("asi_job_runs_total")).toMatchObject({ type: "counter" });
    const named = [
      "asi_database_connections",
      "asi_database_waiting",
      "asi_http_requests_waiting",
      "asi_raw_data_cache_bytes",
      "asi_jobs_waiting",
      "asi_jobs_delay_seconds",
      "nodejs_eventloop_lag_p99_seconds",
    ];
    for (const name of named) expect([name, collector.metrics.get(name)?.type]).toEqual([name, "gauge"]);
  });

  it("never exports tokens, passwords, addresses of people, bodies or values of statements", async () => {
    const caller = newCaller();
    // The database itself rejects this value and quotes it in its message.
    await call("GET", `/api/v1/devices/?search=${encodeURIComponent("ann@private.example")}`, caller.header);
    const form = new URLSearchParams({
      grant_type: "password",
      username: "ann",
      password: "wrong-passphrase",
    });
    await fetch(`${running.url}/oauth2/token/`, {
      method: "POST",
      body: form,
      headers: { traceparent: caller.header },
    });
    await collector.span(
      ({ name, traceId }) => traceId === caller.trace && name === "POST /oauth2/token/",
      "it",
    );
    const everything = collector.exports.map(({ text }) => text).join("\n");
    expect(everything.length).toBeGreaterThan(10_000);
    const secrets = [
      ann.token,
      PASSWORD,
      "wrong-passphrase",
      EMAIL_HOST,
      "private.example",
      SECRET,
      "private-part",
      "hidden",
    ];
    for (const secret of [...secrets, "TRACED", "LOADED", "Final"]) {
      expect([secret, everything.includes(secret)]).toEqual([secret, false]);
    }
    expect(collector.spans.flatMap(({ events }) => events)).toEqual([]);
  });

  it("starts no trace for background work, health checks, and polling for live data", async () => {
    await fetch(`${running.url}/health/ready/`);
    const caller = newCaller();
    const device = await processes.ownedDevice(running, ann.token, "LIVE");
    const live = await call("GET", `/api/v1/devices/${device}/live/`, caller.header);
    const connection = await collector.span(
      ({ traceId, kind }) => traceId === caller.trace && kind === SERVER,
      "it",
    );
    // The worker and the connection query the database every second.
    await sleep(1_500);
    await live.body?.cancel();
    for (const { startMs } of inTrace(caller.trace)) expect(startMs).toBeLessThan(connection.endMs + 500);
    const withoutParent = collector.spans.filter(
      ({ parentSpanId, kind }) => !parentSpanId && kind !== SERVER,
    );
    expect(withoutParent.filter(({ kind }) => kind !== CONSUMER)).toEqual([]);
    expect(collector.spans.filter(({ name }) => name.includes("/health/"))).toEqual([]);
  });
});
