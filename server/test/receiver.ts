/** Receivers of webhooks on the loopback interface, well-behaved and faulty. */
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** Number of accepted connections. */
  connections: number;
  /** Behaviour for the next calls; by default, a response with status 204. */
  behaviour: Behaviour;
  stop(): Promise<void>;
}

export const answer =
  (status: number, body = "", headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Starts a receiver that stores every complete call. */
export async function startReceiver(port = 0, host = "127.0.0.1"): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    receiver.received.push({ path: request.url ?? "", headers: request.headers, body });
    receiver.behaviour(response, request);
  });
  server.on("connection", () => {
    receiver.connections += 1;
  });
  const receiver: Receiver = {
    url: "",
    port: 0,
    received: [],
    connections: 0,
    behaviour: answer(204),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((done) => server.listen(port, host, done));
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `http://${host}:${receiver.port}/hook`;
  return receiver;
}

/**
 * Verifies a call using only the text of Standard Webhooks 1.0: `webhook-signature` is a space-separated list of versions and
 * signatures; `v1` is the base64 of HMAC-SHA256 over `id.timestamp.body`.
 */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = createHmac("sha256", secret).update(signed, "utf8").digest("base64");
  return String(headers["webhook-signature"])
    .split(" ")
    .some((entry) => entry === `v1,${expected}`);
}
