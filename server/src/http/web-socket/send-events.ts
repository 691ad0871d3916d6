import type { WebSocket } from "ws";
import type { EventStream, ServerEvent } from "../connection/event-stream.js";
import { closeFor, UNSUPPORTED_DATA } from "./closing.js";

const textOf = ({ event, id, data }: ServerEvent) =>
  `{"event":${JSON.stringify(event)},${id === undefined ? "" : `"id":${JSON.stringify(id)},`}"data":${data}}`;

/**
 * Sends events as messages until they end or the client has disconnected. The next event is created when the system has accepted
 * the previous one, so a slow client has only one event in memory.
 */
export async function sendEvents(socket: WebSocket, { events }: EventStream): Promise<void> {
  socket.on("message", () => socket.close(UNSUPPORTED_DATA, "This connection only sends."));
  for await (const event of events) {
    if (socket.readyState !== socket.OPEN) break;
    if (event === null) continue;
    await new Promise<void>((resolve) => socket.send(textOf(event), () => resolve()));
    if (event.end !== undefined) closeFor(socket, event.end);
  }
}
