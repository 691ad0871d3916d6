import { SpanStatusCode } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { redacted } from "./redaction.js";

/** Creates a span like those that libraries record. */
function spanOf(attributes: Record<string, string | number>, error?: string) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const span = provider.getTracer("test").startSpan("pg.query:statement_3 asi", { attributes });
  if (error !== undefined) {
    span.recordException(error);
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'invalid input: "ann@private.example"' });
  }
  span.end();
  const [recorded] = exporter.getFinishedSpans();
  if (recorded === undefined) throw new Error("no span");
  return redacted(recorded);
}

describe("a span that leaves the process", () => {
  it("has only listed attributes, and no headers or addresses of people", () => {
    const { attributes, name } = spanOf({
      "http.request.method": "POST",
      "server.address": "receiver.example",
      "url.full": "https://receiver.example/hooks/T0P-SECRET?key=1",
      "url.path": "/hooks/T0P-SECRET",
      "http.request.header.authorization": "Bearer 1",
      "user_agent.original": "ann's phone",
    });
    expect(attributes).toEqual({ "http.request.method": "POST", "server.address": "receiver.example" });
    expect(name).toBe("pg.query:statement_3 asi");
  });

  it("is named after its statement, without values or long lists of placeholders", () => {
    const text = `\n  select "id" from "accounts" where "username" = 'ann' and "id" in (${"$1, ".repeat(3_000)}$2)`;
    const { name, attributes } = spanOf({ "db.query.text": text });
    expect(name).toBe("SELECT");
    expect(attributes["db.query.text"]).toMatch(
      /^\n {2}select "id" from "accounts" where "username" = \? and "id" in \(\$1, /,
    );
    expect(String(attributes["db.query.text"])).toHaveLength(2_000);
  });

  it("has the SQLSTATE of a database error, but not its message or stack", () => {
    const { attributes, events, status } = spanOf(
      { "db.query.text": "INSERT INTO accounts VALUES ($1)" },
      "PostgreSQL error of type 'DatabaseError' occurred (code: 22P02)",
    );
    expect(attributes).toMatchObject({ "db.response.status_code": "22P02", "error.type": "22P02" });
    expect(events).toEqual([]);
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
  });

  it("keeps its trace, parent and resource", () => {
    const span = spanOf({ "http.route": "/a/" });
    expect(span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.endTime[0]).toBeGreaterThan(0);
    expect(span.resource.attributes["telemetry.sdk.language"]).toBe("nodejs");
  });
});
