import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../../config/config.js";
import { TransferRate } from "../connection/slow-clients.js";
import { SMALL_BODY_BYTES } from "./body-budget.js";

/**
 * Aborts a request whose body does not arrive in time. Node.js has a single limit for all requests, but an upload needs
 * more time. An upload must keep a minimum rate, because it occupies one of a few slots. A large body must keep it too,
 * because it occupies memory.
 */
export function enforceBodyTimeout({ raw, routeOptions }: FastifyRequest, config: Config): void {
  // If the client has already disconnected, no events follow, so a timer would never be cleared.
  if (raw.complete || raw.destroyed || routeOptions.config.operation?.isContinuous === true) return;
  const isUpload = routeOptions.config.operation?.takesSlot === true;
  const cutOff = () => raw.destroy();
  const whole = setTimeout(cutOff, isUpload ? config.uploadTimeoutMs : config.requestTimeoutMs);
  let timer: NodeJS.Timeout | undefined;
  if (isUpload || routeOptions.bodyLimit > SMALL_BODY_BYTES) {
    const rate = new TransferRate(config, raw.socket.bytesRead);
    timer = setInterval(() => {
      // Bytes that have arrived but are unread wait for the service, not for the client.
      if (rate.check(raw.socket.bytesRead, raw.readableLength === 0)) cutOff();
    }, rate.intervalMs);
  }
  const stop = () => {
    clearTimeout(whole);
    clearInterval(timer);
  };
  raw.once("end", stop).once("close", stop);
}

/** Time limit for the rest of a body after the response. */
const LATE_BODY_MS = 10_000;

/**
 * Aborts requests with a body that continues after the response, because they were refused or need no body. Installed
 * on the server, because some responses are sent before any hook runs.
 */
export function endLateBodies({ server }: FastifyInstance): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => {
      if (request.complete || request.destroyed) return;
      const timer = setTimeout(() => request.destroy(), LATE_BODY_MS).unref();
      const stop = () => clearTimeout(timer);
      request.once("end", stop).once("close", stop);
    });
  });
}
