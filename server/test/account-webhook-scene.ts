/** Creates webhooks for accounts, and verifies their calls. */
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { expect, vi } from "vitest";
import type { Received } from "./receiver.js";
import type { TestService } from "./service.js";

/** Verifies a call without the library's check of its time, because tests of the service move the clock. */
export function verified({ headers, body }: Received, secret: string): boolean {
  const now = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1000);
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  } finally {
    now.mockRestore();
  }
}

export interface Hook {
  id: number;
  secret: string;
  token: string;
}

export async function newHook(
  s: TestService,
  token: string,
  url: string,
  ...events: string[]
): Promise<Hook> {
  const { status, body, headers } = await s.post("/api/v2/webhooks/", { url, events }, token);
  expect([status, headers.get("location")]).toEqual([201, `/api/v2/webhooks/${body.id}/`]);
  return { id: body.id, secret: body.secret, token };
}

export const pathOf = ({ id }: Hook) => `/api/v2/webhooks/${id}/`;

export async function deliveriesOf(s: TestService, hook: Hook) {
  const { body } = await s.get(`${pathOf(hook)}deliveries/?limit=100`, hook.token);
  return body.results as {
    id: number;
    type: string;
    state: string;
    attempts: number;
    response: string;
    data: object;
  }[];
}

export const messagesOf = (calls: readonly Received[]) => calls.map(({ body }) => JSON.parse(body));

export const START = "2024-03-01T10:00:00.000Z";

/** Returns the secrets that verify a call. */
export const verifying = (call: Received | undefined, secrets: readonly string[]) =>
  secrets.map((secret) => call !== undefined && verified(call, secret));

export async function rotated(s: TestService, hook: Hook) {
  const { status, body } = await s.send("POST", `${pathOf(hook)}secret/`, {
    token: hook.token,
    headers: { "Idempotency-Key": "one" },
  });
  expect([status, body.secret]).toEqual([200, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/)]);
  return body as { secret: string; previous_valid_until: string };
}
