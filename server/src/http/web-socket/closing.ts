import type { WebSocket } from "ws";

/** Close codes of the IANA registry (RFC 6455 section 7.4). */
const NORMAL = 1000;
const GOING_AWAY = 1001;
export const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** Close codes for the reasons for which a connection ends. After other reasons, further attempts of the client fail too. */
const CODES: Readonly<Record<string, number>> = {
  complete: NORMAL,
  stopping: GOING_AWAY,
  failed: INTERNAL_ERROR,
  idle: TRY_AGAIN_LATER,
  unavailable: TRY_AGAIN_LATER,
};

/** Closes a connection for the reason that its last message contains. */
export function closeFor(socket: WebSocket, reason: string): void {
  // A paused connection does not read the close message of the client.
  socket.resume();
  socket.close(CODES[reason] ?? POLICY_VIOLATION, reason);
}
