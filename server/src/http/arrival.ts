import type { FastifyRequest } from "fastify";
import type { Config } from "../config.js";
import { SMALL_BODY_BYTES } from "./body-budget.js";
import { Pace } from "./pace.js";

/**
 * Cuts off a request whose body does not arrive in time. Node has one limit for all requests, and an upload needs more
 * than the others; but while it arrives it must keep a pace, since it takes one of few places. So must a large body, which
 * takes memory.
 */
export function limitArrival({ raw, routeOptions }: FastifyRequest, config: Config): void {
  // Of a client who has left, nothing more is told: what watches would never end.
  if (raw.complete || raw.destroyed) return;
  const isUpload = routeOptions.config.operation?.takesSlot === true;
  const cutOff = () => raw.destroy();
  const whole = setTimeout(cutOff, isUpload ? config.uploadTimeoutMs : config.requestTimeoutMs);
  let looks: NodeJS.Timeout | undefined;
  if (isUpload || routeOptions.bodyLimit > SMALL_BODY_BYTES) {
    const pace = new Pace(config, raw.socket.bytesRead);
    looks = setInterval(() => {
      // What has arrived and is not taken waits for the service, not for the client.
      if (pace.look(raw.socket.bytesRead, raw.readableLength === 0)) cutOff();
    }, pace.intervalMs);
  }
  const stop = () => {
    clearTimeout(whole);
    clearInterval(looks);
  };
  raw.once("end", stop).once("close", stop);
}
