import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { followRawData, openLiveConnection } from "../../domain/raw-data/live.js";
import { LATEST_LIMITS } from "../../wire/page-limits.js";
import { EventStream, lastEventId, type ServerEvent } from "../connection/event-stream.js";
import { liveConnectionsOf } from "../connection/live-connections.js";
import { route } from "../route.js";

const LIVE_DESCRIPTION = `Server-sent events. The first \`samples\` event has the newest sample of your ownership, and none while there is none. Later events contain samples stored afterwards, within about a second, each once and in the order in which they were stored. Late samples, which a tracker has sent after later ones, come in a \`late\` event when they are stored; a sample ahead of the clock makes no other one late. Samples more than 15 minutes older than the newest one may be omitted, and so may the older ones of more than ${LATEST_LIMITS.max} at a time, and a heart rate that is added to a sample is not sent. The data of an event are samples in the order of time. Its id is the time of the newest sample so far, but not later than now: a client that connects again with \`Last-Event-ID\` gets what is newer, and nothing that was stored late meanwhile. A comment is sent when there is nothing else to send.

The last event is \`end\`. Its data is an object with the \`reason\`: \`replaced\` (you have opened another connection for this device; there is one for each user and device), \`signed_out\` (the token or the session has ended), \`not_permitted\` (you no longer own the device), \`stopping\` (the process of the service stops) or \`unavailable\` (the database does not respond). After the last two, connect again.`;

/** Events of a connection: samples, and finally the reason for its end. */
async function* events(
  followed: ReturnType<typeof followRawData>,
  signal: AbortSignal,
  log: FastifyBaseLogger,
): AsyncGenerator<ServerEvent | null> {
  let reason: string | null = null;
  try {
    for (;;) {
      const next = await followed.next();
      if (next.done === true) {
        reason = next.value ?? (signal.aborted ? String(signal.reason) : null);
        break;
      }
      const found = next.value;
      yield found && { event: found.isLate ? "late" : "samples", id: String(found.lastMs), data: found.json };
    }
  } catch (error) {
    // The head of the response has been sent, so only an event can inform the client.
    log.warn({ err: error }, "live data ended");
    reason = "unavailable";
  } finally {
    // The client has disconnected.
    await followed.return(null);
  }
  if (reason !== null) yield { event: "end", data: JSON.stringify({ reason }) };
}

async function* nothing(): AsyncGenerator<never> {}

/** Sends new raw data of a device as it is stored. */
export function liveRoutes(app: FastifyInstance): void {
  const connections = liveConnectionsOf(app);
  route(app, {
    id: "streamRawData",
    tag: "Raw data",
    summary: "Receive the raw data of a device live",
    description: LIVE_DESCRIPTION,
    method: "GET",
    path: "/api/v1/devices/{device}/live/",
    success: { status: 200, mediaType: "text/event-stream", isStream: true },
    throttle: ["rawData"],
    async handle({ ctx, target, request, reply }) {
      if (request.method === "HEAD") return new EventStream(nothing(), app.config.liveHeartbeatMs);
      const device = target.device.id;
      const signal = connections.open(ctx.caller?.id ?? 0, device, reply);
      const connection = await openLiveConnection(ctx, device);
      const followed = followRawData(ctx, target, {
        connection,
        afterMs: lastEventId(request.headers) ?? null,
        signal,
      });
      return new EventStream(events(followed, signal, request.log), app.config.liveHeartbeatMs);
    },
  });
}
