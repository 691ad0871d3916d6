import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { signInByDevice } from "../src/cli/service/device-sign-in.js";

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A service that begins the sign-in with these times, and in which nobody approves. */
async function waiting(times: { interval: unknown; expires_in: unknown }) {
  const polls: number[] = [];
  const listener: RequestListener = (request, response) => {
    response.setHeader("Content-Type", "application/json");
    if (request.url === "/oauth2/device_authorization/") {
      const codes = {
        device_code: "d",
        user_code: "WDJB-MJHT",
        verification_uri_complete: "https://a.example/",
      };
      response.end(JSON.stringify({ ...codes, ...times }));
      return;
    }
    polls.push(Date.now());
    response.statusCode = 400;
    response.end(JSON.stringify({ error: "authorization_pending" }));
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return { base: new URL(`http://127.0.0.1:${port}/`), polls };
}

describe("signing in with the browser of the user", () => {
  it("ends when the code has expired", async () => {
    const { base, polls } = await waiting({ interval: 1, expires_in: 1 });
    const signingIn = signInByDevice(base, "samples:read", new AbortController().signal, () => {});
    await expect(signingIn).rejects.toThrow("has expired. Run the command again.");
    expect(polls).toHaveLength(1);
  });

  it.each([-1, 0, 1e12, "soon"])("does not flood a service that sends the interval %s", async (interval) => {
    const { base, polls } = await waiting({ interval, expires_in: 600 });
    const ending = new AbortController();
    const signingIn = signInByDevice(base, "samples:read", ending.signal, () => {
      setTimeout(() => ending.abort(), 300);
    });
    await expect(signingIn).rejects.toThrow();
    expect(polls).toEqual([]);
  });
});
