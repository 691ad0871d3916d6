/**
 * Provides a service with a manager whose webhooks are delivered to real receivers on the loopback interface, with a clock that
 * the tests set.
 */
import { eq } from "drizzle-orm";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { expect, onTestFinished, vi } from "vitest";
import type { Config } from "../src/config/config.js";
import type { AddressLookup } from "../src/domain/change/address-lookup.js";
import { webhooks } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import { type Received, type Receiver, startReceiver } from "./receiver.js";
import { type TestAccount, TestService } from "./service.js";
import { newActivity } from "./team.js";

export const SECRET = "sesame ünd more";
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
/** Times by which to advance the clock for each retry. They exceed the delays because of the jitter. */
export const SCHEDULE_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];

/** Addresses for host names, or the error of the lookup. */
export const NAMES: Record<string, string[] | Error> = { "receiver.example": ["127.0.0.1"] };
export const lookup: AddressLookup = async (name) => {
  const found = NAMES[name];
  if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`);
  if (found instanceof Error) throw found;
  return found;
};

/** The longest time limits. Only a receiver that never responds reaches them, even on a busy machine. */
export const settings: Partial<Config> = {
  webhookAllowPrivate: true,
  webhookTimeoutMs: 45_000,
  webhookConnectTimeoutMs: 45_000,
};

export interface Registered {
  activity: number;
  id: number;
  path: string;
}

/** Starts a receiver that is stopped at the end of the test. */
export async function receiver(port = 0): Promise<Receiver> {
  const started = await startReceiver(port);
  onTestFinished(() => started.stop());
  return started;
}

/** Verifies a call with the library of Standard Webhooks at the time of the call, because tests move the clock of the service. */
export function isAcceptedByLibrary({ headers, body }: Received, secret: string): boolean {
  const now = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1000);
  try {
    new Webhook(Buffer.from(secret), { format: "raw" }).verify(body, headers as Record<string, string>);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  } finally {
    now.mockRestore();
  }
}

/**
 * Provides functions for webhooks.
 * @param s a service whose clock only the tests move, so that no retry becomes due because a test takes long
 */
function webhooksOn(s: TestService, ann: TestAccount) {
  s.clock.stopAt(s.clock.now().getTime());
  let expiresMs = 0;

  /** Sends a request as ann with a valid token, because the clock moves beyond the lifetime of tokens. */
  async function asAnn(method: string, path: string, json?: unknown) {
    const nowMs = s.clock.now().getTime();
    if (nowMs >= expiresMs) {
      ann.token = await s.logIn(ann.username, ann.password);
      expiresMs = nowMs + 9 * HOUR_MS;
    }
    return s.send(method, path, { token: ann.token, json });
  }

  async function activityOfAnn(): Promise<number> {
    await asAnn("GET", "/api/v1/account/");
    return newActivity(s, ann);
  }

  /** Creates a webhook for a new activity. */
  async function register(webhook_url: string, more: Record<string, unknown> = {}): Promise<Registered> {
    const activity = await activityOfAnn();
    const path = `/api/v1/activities/${activity}/webhooks/`;
    const { status, body } = await asAnn("POST", path, {
      webhook_url,
      secret_token: SECRET,
      activity_events: true,
      timeframes_events: true,
      ...more,
    });
    expect([status, body]).toEqual([200, expect.anything()]);
    return { activity, id: body.id, path: `${path}${body.id}/` };
  }

  const deliveries = async ({ path }: Registered) =>
    (await asAnn("GET", `${path}deliveries/?limit=3000`)).body.results;

  const states = async (webhook: Registered) =>
    (await deliveries(webhook)).map(({ state }: { state: string }) => state);

  const row = async ({ id }: Registered) => {
    const [found] = await s.store.database.queries.select().from(webhooks).where(eq(webhooks.id, id));
    return found;
  };

  const advance = async (ms: number) => {
    s.clock.advance(ms);
    await s.runJobs();
  };

  /** Starts another service on the same database, with the clock at the same time. */
  async function startAnother(changes: Partial<Config>): Promise<TestService> {
    const another = await TestService.start(s.store, { ...settings, ...changes }, lookup);
    another.clock.stopAt(s.clock.now().getTime());
    return another;
  }

  return { s, ann, activityOfAnn, register, asAnn, deliveries, states, row, advance, startAnother };
}

/** Creates an `it` for a file with a service and a manager. */
export const withWebhooks = () =>
  withOwnService(settings, lookup).extend("hooks", { scope: "file" }, async ({ service }) =>
    webhooksOn(service, await service.manager()),
  );
