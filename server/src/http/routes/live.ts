import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../../domain/change/context.js";
import { followDevices, type LiveSamples } from "../../domain/raw-data/live.js";
import { type LiveTarget, openLiveConnection } from "../../domain/raw-data/live-connection.js";
import { type LiveDevices, ownDevices, thatDevice } from "../../domain/raw-data/live-devices.js";
import { liveSamplesJson } from "../../domain/raw-data/resource.js";
import { sessionDevices, squadDevices } from "../../domain/sessions/live.js";
import { createLiveTicket, LiveTicket, TicketParameter } from "../../oauth/live-tickets.js";
import {
  type LivePosition,
  POSITION_MAX_LENGTH,
  POSITION_PATTERN,
  parsePosition,
  positionText,
} from "../../wire/live-position.js";
import { EventStream, lastEventId, type ServerEvent } from "../connection/event-stream.js";
import { type HeldConnection, liveConnectionsOf } from "../connection/live-connections.js";
import { route } from "../route.js";
import { GROUP_DESCRIPTION, LIVE_DESCRIPTION } from "./live-descriptions.js";

type Followed = ReturnType<typeof followDevices>;

/** Yields the events of a connection: samples, and finally the reason for its end. */
async function* events(
  followed: Followed,
  toEvent: (found: LiveSamples) => Omit<ServerEvent, "event">,
  signal: AbortSignal,
  { log, responseShare }: FastifyRequest,
): AsyncGenerator<ServerEvent | null> {
  let reason: string | null = null;
  try {
    for (;;) {
      // The client is reading, so the last event no longer waits.
      responseShare?.resize(0);
      const next = await followed.next();
      if (next.done === true) {
        reason = next.value ?? (signal.aborted ? String(signal.reason) : null);
        break;
      }
      const found = next.value;
      if (found === null) {
        yield null;
        continue;
      }
      const event = { event: found.isLate ? "late" : "samples", ...toEvent(found) };
      await responseShare?.reserve(event.data.length, signal);
      yield event;
    }
  } catch (error) {
    // The head of the response has been sent, so only an event can inform the client.
    if (signal.aborted) reason = String(signal.reason);
    else {
      log.warn({ err: error }, "live data ended");
      reason = "unavailable";
    }
  } finally {
    // The client has disconnected.
    await followed.return(null);
  }
  if (reason !== null) yield { event: "end", data: JSON.stringify({ reason }), end: reason };
}

async function* nothing(): AsyncGenerator<never> {}

interface Opening {
  ctx: Context;
  request: FastifyRequest;
  reply: Pick<FastifyReply, "raw" | "request">;
}

/** A counted connection. `release` and `replacedWork` are present only if it is counted until its work has ended. */
type Place = Pick<HeldConnection, "signal"> & Partial<HeldConnection>;

/** Opens a connection. A HEAD opens none. */
async function open(
  { ctx, request }: Opening,
  count: () => Place,
  target: LiveTarget,
  devices: LiveDevices,
  position: LivePosition,
  toEvent: (found: LiveSamples) => Omit<ServerEvent, "event">,
): Promise<EventStream> {
  const { liveHeartbeatMs } = ctx.config;
  if (request.method === "HEAD") return new EventStream(nothing(), liveHeartbeatMs);
  const { signal, replacedWork, release } = count();
  try {
    await replacedWork;
    const connection = await openLiveConnection(ctx, target);
    const onDamaged = (error: Error) => request.log.warn({ err: error }, "live data without a damaged chunk");
    const followed = followDevices(ctx, { target, connection, devices, position, signal, onDamaged });
    if (release !== undefined) whenAborted(signal, () => void followed.return(null).finally(release));
    return new EventStream(events(followed, toEvent, signal, request), liveHeartbeatMs);
  } catch (error) {
    release?.();
    throw error;
  }
}

/**
 * Calls `end` when the signal is aborted. The client may have stopped reading, so this also ends work that waits for the client
 * to read. A running poll ends first.
 */
function whenAborted(signal: AbortSignal, end: () => void): void {
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}

/** Returns an event of a single device. It contains only the samples and the time of the newest one. */
const ofDevice = ({ lastMs, samples }: LiveSamples) => ({
  id: String(lastMs),
  data: liveSamplesJson(samples),
});

const ofGroup = ({ deviceId, athleteId, samples, position }: LiveSamples) => ({
  id: positionText(position),
  data: `{"device":${deviceId},"athlete":${athleteId},"samples":${liveSamplesJson(samples)}}`,
});

/** Returns the time of the last event of one device. */
function lastEventMs(headers: FastifyRequest["headers"]): number | undefined {
  const id = lastEventId(headers);
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

const GroupQuery = Type.Object({
  ticket: TicketParameter,
  last_event_id: Type.Optional(
    Type.String({
      pattern: POSITION_PATTERN,
      maxLength: POSITION_MAX_LENGTH,
      problem: "Must be the id of an event.",
      description: "In place of the header `Last-Event-ID`, which takes precedence",
      openapi: { type: "string" },
    }),
  ),
});

const STREAM = { status: 200, mediaType: "text/event-stream", isStream: true } as const;

/** Common properties of the operations on several devices. */
const GROUP = {
  version: 2,
  description: GROUP_DESCRIPTION,
  method: "GET",
  query: GroupQuery,
  success: STREAM,
  failures: [400, 409],
  throttle: ["rawData"],
  acceptsTicket: true,
  webSocket: true,
} as const;

/** Adds the operations with live data. */
export function liveRoutes(app: FastifyInstance): void {
  const { single, group } = liveConnectionsOf(app);

  route(app, {
    id: "streamRawData",
    tag: "Raw data",
    summary: "Receive the raw data of a device live",
    description: LIVE_DESCRIPTION,
    method: "GET",
    path: "/api/v1/devices/{device}/live/",
    success: STREAM,
    throttle: ["rawData"],
    handle({ target: { device }, ...call }) {
      const lastMs = lastEventMs(call.request.headers);
      const position = new Map(lastMs === undefined ? [] : [[device.id, lastMs]]);
      const target: LiveTarget = `device ${device.id}`;
      const count = () => ({
        signal: single.open(call.ctx.caller?.id ?? 0, target, call.reply),
      });
      return open(call, count, target, thatDevice(call.ctx, device.id), position, ofDevice);
    },
  });

  async function openGroup(
    call: Opening & { query: { last_event_id?: string } },
    target: LiveTarget,
    devices: LiveDevices,
  ): Promise<EventStream> {
    // Refuses too many devices with a status.
    await devices();
    const last = lastEventId(call.request.headers) ?? call.query.last_event_id ?? "";
    const count = () => group.hold(call.ctx.caller?.id ?? 0, target, call.reply);
    return open(call, count, target, devices, parsePosition(last) ?? new Map(), ofGroup);
  }

  route(app, {
    ...GROUP,
    id: "streamAllSamples",
    tag: "Raw data",
    summary: "Receive the samples of all devices live",
    path: "/api/v2/live/",
    handle: (call) => openGroup(call, "devices", ownDevices(call.ctx)),
  });

  route(app, {
    ...GROUP,
    id: "streamSquadSamples",
    tag: "Squads",
    summary: "Receive the samples of a squad live",
    path: "/api/v2/squads/{squad}/live/",
    handle: ({ target, ...call }) => openGroup(call, `squad ${target.id}`, squadDevices(call.ctx, target.id)),
  });

  route(app, {
    ...GROUP,
    id: "streamSessionSamples",
    tag: "Sessions",
    summary: "Receive the samples of a session live",
    path: "/api/v2/sessions/{session}/live/",
    handle: ({ target, ...call }) =>
      openGroup(call, `session ${target.id}`, sessionDevices(call.ctx, target.id)),
  });

  route(app, {
    id: "createLiveTicket",
    tag: "Raw data",
    version: 2,
    summary: "Create a ticket for live data",
    description:
      "For clients that cannot send the header `Authorization`, such as `EventSource` and `WebSocket` in browsers. The parameter `ticket` replaces this header once, within 30 seconds, in operations with live data of several devices and in the operation that streams a recording. The connection has the rights of the token that created the ticket, and ends with it. A token has at most 20 valid tickets.",
    method: "POST",
    path: "/api/v2/live-tickets/",
    success: { status: 201, schema: LiveTicket },
    isRepeatable: true,
    handle: ({ ctx }) => createLiveTicket(ctx),
  });
}
