import { createServer } from "node:http";

/** An event delivered by a webhook. */
export interface ToldEvent {
  event: string;
  webhook_id: number;
  data: { activity_id: number; timeframe_id?: number };
  /** Header `X-Asi-Api-Token`. */
  token: string | undefined;
}

export interface Receiver {
  url: string;
  events: readonly ToldEvent[];
  close(): Promise<void>;
}

/** Starts a server of the client on loopback that stores the events of webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const events: ToldEvent[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const token = request.headers["x-asi-api-token"];
      events.push({ ...JSON.parse(body), token: typeof token === "string" ? token : undefined });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port");
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    events,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
