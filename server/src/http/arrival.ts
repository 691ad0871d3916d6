import type { FastifyRequest } from "fastify";
import type { Config } from "../config.js";

/** A pause is noticed late by one look at most. */
const LOOKS_PER_PAUSE = 8;

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
    let looksWithout = 0;
    pause = setInterval(() => {
      looksWithout = raw.socket.bytesRead === received ? looksWithout + 1 : 0;
      received = raw.socket.bytesRead;
      if (looksWithout === LOOKS_PER_PAUSE) cutOff();
    }, config.uploadPauseMs / LOOKS_PER_PAUSE);
  }
  const stop = () => {
    clearTimeout(whole);
    clearInterval(pause);
  };
  raw.once("end", stop).once("close", stop);
}
