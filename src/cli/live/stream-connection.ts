import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isRecord } from "../../arguments.js";
import { errorOf, isPassing, notAService, serviceError } from "../service/refusals.js";

/** The state of a recording in the service. */
export interface StoredState {
  storedBytes: number;
  storedUntilMs: number | null;
  aheadMs: number;
}

/** The last line of a request, or null if the connection was lost. */
export type StreamEnd = ({ end: string } & Record<string, unknown>) | null;

export interface StreamTarget {
  /** Ends with a slash. */
  base: URL;
  token: string;
  serial: string;
  recording: string;
}

const urlOf = ({ base, serial, recording }: StreamTarget, query: Record<string, string> = {}) => {
  const url = new URL(`api/v2/devices/${encodeURIComponent(serial)}/stream/`, base);
  url.search = new URLSearchParams({ recording, ...query }).toString();
  return url;
};

/**
 * Requests the number of stored bytes of a recording.
 * @returns null while the service is unavailable
 * @throws DescribedError if the service refuses the request
 */
export async function askState(
  target: StreamTarget,
  signal: AbortSignal,
): Promise<(StoredState & { isEnded: boolean }) | null> {
  let response: Response;
  try {
    const headers = { Authorization: `Bearer ${target.token}` };
    response = await fetch(urlOf(target), { headers, redirect: "manual", signal });
  } catch {
    signal.throwIfAborted();
    return null;
  }
  if (response.ok) {
    const value: unknown = await response.json().catch(() => null);
    if (!isRecord(value) || typeof value.stored_bytes !== "number") throw notAService(target.base);
    return { ...stateIn(value), isEnded: value.ended === true };
  }
  if (isPassing(response)) return null;
  throw await refusalOf(response, target);
}

/**
 * Sends the bytes of one request while reading the lines of the response.
 * @throws DescribedError if the service refuses the request; the errors of `bytes`
 */
export async function sendFrom(
  target: StreamTarget,
  offset: number,
  bytes: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  onState: (state: StoredState) => void,
  onSent: (bytes: number) => void,
): Promise<StreamEnd> {
  const url = urlOf(target, { offset: String(offset) });
  const over = new AbortController();
  // `fetch` cannot read a response while it sends
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: "POST",
    headers: { Authorization: `Bearer ${target.token}`, "Content-Type": "application/octet-stream" },
    agent: false,
  });
  const response = responseTo(request);
  request.flushHeaders();
  request.on("close", () => over.abort());
  const sending = send(request, bytes, over.signal, onSent).then(
    () => null,
    (error: unknown) => {
      request.destroy();
      return { error };
    },
  );
  const received = await response
    .then((answer) => endIn(answer, target, onState))
    .then(
      (end) => ({ end }),
      (error: unknown) => ({ error }),
    );
  over.abort();
  request.destroy();
  // if the input has failed, its error explains the end of the request
  const failure = (await sending) ?? ("error" in received ? received : null);
  if (failure !== null) throw failure.error;
  return "end" in received ? received.end : null;
}

async function endIn(
  received: IncomingMessage | null,
  target: StreamTarget,
  onState: (state: StoredState) => void,
): Promise<StreamEnd> {
  if (received === null) return null;
  return received.statusCode === 200 ? lastLine(received, onState) : refusal(received, target);
}

async function send(
  request: ClientRequest,
  bytes: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  try {
    for await (const chunk of bytes(signal)) {
      if (signal.aborted) return;
      onSent(chunk.length);
      if (!request.write(chunk)) await drained(request, signal);
    }
    if (!signal.aborted) request.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const drained = (request: ClientRequest, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      request.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    request.on("drain", done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });

/** Waits for the response. Returns null if the connection is lost before it arrives. */
const responseTo = (request: ClientRequest): Promise<IncomingMessage | null> =>
  new Promise((resolve) => {
    request.once("response", resolve);
    request.on("error", () => resolve(null));
    request.once("close", () => resolve(null));
  });

async function refusal(received: IncomingMessage, target: StreamTarget): Promise<null> {
  const body = Buffer.concat(await received.toArray());
  const headers = new Headers();
  for (const [name, value] of Object.entries(received.headers)) headers.set(name, String(value));
  const status = received.statusCode ?? 502;
  const response = new Response(body, { status, headers });
  // the number of stored bytes is requested again, because another request may have changed it
  if (isPassing(response) || headers.get("X-Error-Code") === "offset_ahead") return null;
  throw await refusalOf(response, target);
}

/** Creates the error for a refused request. The error names the device if the account has no device with this serial number. */
async function refusalOf(response: Response, { base, serial }: StreamTarget): Promise<Error> {
  if (response.status === 404 && response.headers.get("X-Error-Code") === "not_found") {
    return serviceError(
      "SERVICE_REFUSED",
      `The account does not own a device with the serial number ${serial} (404).`,
    );
  }
  return errorOf(response, base);
}

async function lastLine(
  received: IncomingMessage,
  onState: (state: StoredState) => void,
): Promise<StreamEnd> {
  let rest = "";
  let last: StreamEnd = null;
  try {
    for await (const chunk of received.setEncoding("utf8")) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const value: unknown = JSON.parse(line);
        if (!isRecord(value)) continue;
        onState(stateIn(value));
        if (typeof value.end === "string") last = { ...value, end: value.end };
      }
    }
  } catch {
    // the connection was lost
  }
  return last;
}

const stateIn = (value: Record<string, unknown>): StoredState => ({
  storedBytes: Number(value.stored_bytes),
  storedUntilMs: typeof value.stored_until === "number" ? value.stored_until : null,
  aheadMs: typeof value.ahead_ms === "number" ? value.ahead_ms : 0,
});
