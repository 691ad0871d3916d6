import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { Tally } from "./tally.js";
import { WebhookBook } from "./webhooks.js";

const SECRET = "sesame";
let tally: Tally;
let book: WebhookBook;
let messages = 0;

beforeEach(() => {
  tally = new Tally();
  book = new WebhookBook(tally, SECRET);
});

/** Creates a call like those of the service. */
function call(event: string, timeframe: number, { secret = SECRET, id = `msg-${++messages}` } = {}) {
  const body = JSON.stringify({ event, webhook_id: 1, data: { activity_id: 5, timeframe_id: timeframe } });
  const signature = createHmac("sha256", secret).update(`${id}.1700000000.${body}`).digest("base64");
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": "1700000000",
    "webhook-signature": `v1,${signature}`,
  };
  return { path: "/hook", headers, body };
}

const announced = (timeframe: number) => ({ webhook: 1, event: "timeframe-created", activity: 5, timeframe });

describe("webhook calls", () => {
  it("are correct if each announced event arrives once, before or after the response", async () => {
    book.expect(announced(1));
    book.receive(call("timeframe-created", 1));
    book.receive(call("timeframe-created", 2));
    book.expect(announced(2));
    await book.settle(0, 0);
    expect(tally.wrong).toBe(0);
    expect(tally.of("webhook, from response to call").calls).toBe(2);
  });

  it("are incorrect if an event is missing", async () => {
    book.expect(announced(1));
    await book.settle(0, 0);
    expect(tally.described).toEqual([expect.stringContaining("did not arrive: timeframe-created")]);
  });

  it("are incorrect if an unannounced event arrives", async () => {
    book.receive(call("timeframe-deleted", 1));
    await book.settle(0, 0);
    expect(tally.described).toEqual([expect.stringContaining("must not arrive: timeframe-deleted")]);
  });

  it("are incorrect if an event arrives twice or is not signed with the secret", async () => {
    book.expect(announced(1));
    book.receive(call("timeframe-created", 1, { id: "same" }));
    book.receive(call("timeframe-created", 1, { id: "same" }));
    book.receive(call("timeframe-created", 1, { secret: "guess" }));
    await book.settle(0, 0);
    expect(tally.described).toEqual([
      expect.stringContaining("came twice"),
      expect.stringContaining("not signed"),
    ]);
  });
});
