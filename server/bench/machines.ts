/** Measures how fast programs sign in, and how soon a webhook receives a change. */
import { Webhook } from "standardwebhooks";
import { COMMAND_CLIENT_ID, DEVICE_GRANT } from "../src/oauth/device-codes.js";
import { startReceiver } from "../test/receiver.js";

const FORM = "application/x-www-form-urlencoded";
const ARRIVAL_TIMEOUT_MS = 60_000;

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

/**
 * Signs in a program without a browser (RFC 8628). The program begins, and requests the token once before and once after the
 * approval.
 * @param approve approves the code on behalf of the user
 * @returns duration with the approval, ms
 */
export async function deviceFlowMs(url: string, approve: (code: string) => Promise<void>): Promise<number> {
  const send = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": FORM },
      body: form(fields),
    });
    return (await response.json()) as Record<string, string>;
  };
  const begin = performance.now();
  const begun = await send("/oauth2/device_authorization/", { client_id: COMMAND_CLIENT_ID });
  const { device_code = "", user_code = "" } = begun;
  const poll = () =>
    send("/oauth2/token/", { grant_type: DEVICE_GRANT, client_id: COMMAND_CLIENT_ID, device_code });
  const pending = await poll();
  if (pending.error !== "authorization_pending") throw new Error(`The device got ${JSON.stringify(pending)}`);
  await approve(user_code);
  const signedIn = await poll();
  if (signedIn.access_token === undefined)
    throw new Error(`The device got no token: ${JSON.stringify(signedIn)}`);
  return performance.now() - begin;
}

/** A webhook of an account with a receiver on this machine. */
export interface WatchedWebhook {
  /** Makes a change. @returns time until the receiver has its signed event, ms */
  arrivalMs(change: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** @param post creates the webhook */
export async function watchWebhook(
  event: string,
  post: (path: string, json: object) => Promise<{ secret?: string }>,
): Promise<WatchedWebhook> {
  const receiver = await startReceiver();
  const { secret = "" } = await post("/api/v2/webhooks/", { url: receiver.url, events: [event] });
  const signature = new Webhook(secret);
  return {
    async arrivalMs(change) {
      const known = receiver.received.length;
      const arrived = new Promise<number>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`No call for ${event}`)), ARRIVAL_TIMEOUT_MS);
        receiver.behaviour = (response) => {
          clearTimeout(late);
          resolve(performance.now());
          response.writeHead(204).end();
        };
      });
      const begin = performance.now();
      const [arrivedMs] = await Promise.all([arrived, change()]);
      const call = receiver.received[known];
      signature.verify(call?.body ?? "", call?.headers as Record<string, string>);
      return arrivedMs - begin;
    },
    stop: () => receiver.stop(),
  };
}
