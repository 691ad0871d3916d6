import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { stateOfStream } from "../../domain/recording-streams/begin.js";
import { StreamReceiver } from "../../domain/recording-streams/receive.js";
import { RecordingName, StreamState } from "../../domain/recording-streams/resource.js";
import { TicketParameter } from "../../oauth/live-tickets.js";
import { Query } from "../../wire/types.js";
import { FILE } from "../body/bodies.js";
import { LineStream } from "../connection/line-stream.js";
import {
  type ConnectionLimits,
  LiveConnections,
  measureConnections,
} from "../connection/live-connections.js";
import { receiveStream } from "../files/receive-stream.js";
import { route } from "../route.js";
import { MESSAGE_MAX_BYTES } from "../web-socket/install.js";

/** Each stream uses a decoder of 1.5 MB. A gateway forwards the devices of a club, with one request for each device. */
const STREAM_LIMITS: ConnectionLimits = { process: 128, address: 96, user: 64 };

const PATH = "/api/v2/devices/{serial}/stream/";

const DESCRIPTION = `Accepts a recording while the device records it: the bytes of an .asi file, in one request whose body lasts as long as the recording (\`Transfer-Encoding: chunked\`). The samples are stored twice a second. The response consists of lines of JSON (\`application/x-ndjson\`), which arrive while the body is being sent: after each write \`stored_bytes\`, the offset up to which the recording is stored, and \`stored_until\`, the latest time of a stored sample in ms; \`ahead_ms\` if the clock of the device is more than 10 s ahead.

The last line has the reason for the \`end\`: \`complete\` (the body has ended, and with it the recording), \`idle\` (nothing arrived for a minute), \`stopping\` (the process of the service stops), \`unavailable\` (the database does not respond, or the service is full and an address with fewer streams needs the place), \`failed\` (an error of the service), \`replaced\` (another request streams the device, or samples of the device were deleted), \`signed_out\`, \`not_permitted\` (you no longer own the device), or \`refused\`, with a \`problem\` like those of other operations. Samples that were already stored are kept. After \`idle\`, \`stopping\`, \`unavailable\` and \`failed\`, and after a lost connection, continue: \`GET\` of this path returns the offset, and the next request starts there, or earlier. There are no gaps or duplicates: the result is the same as for an upload of the whole recording. A complete recording accepts no more bytes.

A device has one stream. The service keeps the bytes of a recording until it ends or the next one begins, but at most 7 days. Unfinished recordings of an account can have at most 2 GiB in total. Computed data is updated about 30 seconds after new samples, and when the recording ends. The command \`asi stream\` is a gateway.

A WebSocket on this path (\`GET\` with the same parameters) receives binary messages of at most ${MESSAGE_MAX_BYTES / 1024} KiB. Their boundaries have no meaning. It sends each line as a text message. An empty message ends the recording. After the last line, the service closes with 1000 after \`complete\`, 1001 after \`stopping\`, 1011 after \`failed\`, 1013 after \`idle\` and \`unavailable\`, and 1008 otherwise. It closes with 1003 after a text message, and with 1009 after a message that is too large. Pages of other origins must be in \`CORS_ORIGINS\`; cookies are not accepted.`;

const StreamQuery = Type.Object({
  recording: RecordingName,
  ticket: TicketParameter,
  offset: Query.integer("Number of bytes of the recording before the first byte of the body; default 0"),
});

export function recordingStreamRoutes(app: FastifyInstance): void {
  const streams = new LiveConnections(STREAM_LIMITS);
  measureConnections(
    app,
    streams,
    "asi_recording_streams",
    "Requests and WebSockets that stream a recording",
  );
  const receiving = new Set<Promise<void>>();
  app.addHook("preClose", async () => {
    streams.stop();
    await Promise.allSettled(receiving);
  });
  route(app, {
    id: "streamRecording",
    tag: "Files",
    version: 2,
    summary: "Stream a recording of a device",
    description: DESCRIPTION,
    isEnabled: ({ bulkLoadEnabled }) => bulkLoadEnabled,
    method: "POST",
    path: PATH,
    query: StreamQuery,
    consumes: FILE,
    consumesFile: true,
    describedBody: Type.String({ format: "binary", description: "A recording, or the rest of a recording" }),
    isRepeatable: true,
    isContinuous: true,
    webSocket: true,
    acceptsTicket: true,
    success: { status: 200, mediaType: "application/x-ndjson", isStream: true },
    failures: [409, 410],
    throttle: ["rawData"],
    async handle({ ctx, target, query: { recording, offset = 0 }, request, reply }) {
      if (offset < 0 || !Number.isSafeInteger(offset))
        throw errors.field("offset", "Must be a number of bytes, 0 or more.");
      const place = streams.hold(ctx.caller?.id ?? 0, target.device.id, reply);
      // Bytes that have arrived are stored even if the client has disconnected.
      const { signal: _signal, ...lasting } = ctx;
      const receiver = await StreamReceiver.begin(lasting, target, { recording, offset }).catch((error) => {
        place.release();
        throw error;
      });
      return new LineStream({
        receive(body, lines) {
          const work = receiveStream(lasting, target, { receiver, request, body, lines, place });
          receiving.add(work);
          void work.finally(() => {
            receiving.delete(work);
            place.release();
          });
        },
        cancel() {
          receiver.close();
          place.release();
        },
      });
    },
  });

  route(app, {
    id: "retrieveRecordingStream",
    tag: "Files",
    version: 2,
    summary: "Get the stored part of a streamed recording",
    description:
      "Returns the offset at which a gateway continues after a lost connection. The offset is 0 for an unknown recording, and after another recording has replaced this one.",
    method: "GET",
    path: PATH,
    query: Type.Object({ recording: RecordingName }),
    success: { status: 200, schema: StreamState },
    handle: ({ ctx, target, query: { recording } }) => stateOfStream(ctx, target, recording),
  });
}
