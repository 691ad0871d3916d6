import type { FastifyRequest } from "fastify";
import type { Config } from "../config.js";

/**
 * Cuts off a request whose body does not arrive in time. Node has one limit for all requests, and an upload needs more
 * than the others; but while it arrives it may not pause for long, since it takes one of few places.
 */
export function limitArrival({ raw, routeOptions }: FastifyRequest, config: Config): void {
  if (raw.complete) return;
  const isUpload = routeOptions.config.operation?.takesSlot === true;
  const cutOff = () => raw.destroy();
  const whole = setTimeout(cutOff, isUpload ? config.uploadTimeoutMs : config.requestTimeoutMs);
  let pause: NodeJS.Timeout | undefined;
  if (isUpload) {
    let received = raw.socket.bytesRead;
    pause = setInterval(() => {
      if (raw.socket.bytesRead === received) cutOff();
      received = raw.socket.bytesRead;
    }, config.uploadPauseMs);
  }
  const stop = () => {
    clearTimeout(whole);
    clearInterval(pause);
  };
  raw.once("end", stop).once("close", stop);
}
