import { type Client, createClient } from "asi-client";

/** A client that records the arrival of the last byte of a response before the response is parsed and checked. */
export interface Wire {
  asi: Client;
  /** Arrival time of the last response, by `performance.now()`. */
  arrivedAtMs: number;
  /** Number of requests so far. */
  requests: number;
}

const WITHOUT_BODY = new Set([204, 304]);

/** Creates a client that does not retry refused requests, because they must count. */
export function newWire(baseUrl: string, token: string): Wire {
  const fetch = async (request: Request) => {
    wire.requests++;
    const response = await globalThis.fetch(request);
    const body = await response.arrayBuffer();
    wire.arrivedAtMs = performance.now();
    const { status, headers } = response;
    return new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers });
  };
  const wire: Wire = {
    asi: createClient({ baseUrl, token, retries: 0, fetch }),
    arrivedAtMs: 0,
    requests: 0,
  };
  return wire;
}
