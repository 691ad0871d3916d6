import type { LookupFunction, Socket } from "node:net";
import { isIPv6 } from "node:net";
import { buildConnector, Client } from "undici";
import type { AddressLookup } from "../../change/address-lookup.js";
import { isPublicAddress } from "./addresses.js";
import { receiverAddresses, requireCallable } from "./receiver.js";

/** Maximum number of bytes of a response that are read and that are stored. */
const READ_BYTES = 64 * 1024;
const KEPT_BYTES = 1024;

export interface PostLimits {
  /** Time limit from the first lookup to the end of the response. */
  totalMs: number;
  /** Time limit for lookup, connection and TLS. */
  connectMs: number;
  lookup: AddressLookup;
  /** Account on whose behalf the receiver is called. */
  account: number;
  allowPrivate: boolean;
}

export interface ReceiverResponse {
  status: number;
  retryAfter: string | undefined;
  /** Beginning of the response body as text; null for a private address, because users must not see its content. */
  text: string | null;
}

/**
 * Posts a body once, on a separate connection, to an untrusted receiver. Does not follow redirects. Checks the address
 * of the receiver three times: a literal address in the URL, the resolved addresses (it connects only to these), and
 * the address of the connected socket.
 * @throws Error when the response is not complete in time; NoPublicAddressError when the address is not public
 */
export async function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  limits: PostLimits,
): Promise<ReceiverResponse> {
  const signal = AbortSignal.timeout(limits.totalMs);
  const startedAt = performance.now();
  const { lookup, account, allowPrivate } = limits;
  const addresses = await receiverAddresses(url, {
    lookup,
    account,
    allowPrivate,
    signal: AbortSignal.timeout(limits.connectMs),
  });
  const timeout = Math.max(1, limits.connectMs - (performance.now() - startedAt));
  let isPublic = false;
  const client = new Client(url.origin, {
    connect: checkedConnector(addresses, timeout, allowPrivate, (address) => {
      isPublic = isPublicAddress(address);
    }),
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 0,
  });
  try {
    const answer = await client.request({
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers,
      body,
      signal,
    });
    const retryAfter = answer.headers["retry-after"];
    const text = await beginning(answer.body);
    return {
      status: answer.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      text: isPublic ? text : null,
    };
  } catch (error) {
    throw signal.aborted ? new Error(`No complete response within ${limits.totalMs / 1000} s.`) : error;
  } finally {
    client.destroy().catch(() => undefined);
  }
}

/** Connects only to one of the addresses. Disconnects if the address of the socket is not allowed. */
export function checkedConnector(
  addresses: readonly string[],
  timeout: number,
  allowPrivate: boolean,
  onAddress: (address: string) => void = () => undefined,
): buildConnector.connector {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (hostname, options, callback) => {
    const [first] = found;
    if (first === undefined) callback(new Error(`No address for ${hostname}.`), "");
    else if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  };
  const connect = buildConnector({ timeout, lookup, allowH2: false });
  return (options, callback) =>
    connect(options, (...[error, socket]: buildConnector.CallbackArgs) => {
      if (error !== null || socket === null) return callback(error ?? new Error("No connection."), null);
      const address = (socket as Socket).remoteAddress ?? "";
      try {
        requireCallable([address], allowPrivate);
      } catch (refused) {
        socket.destroy();
        return callback(refused as Error, null);
      }
      onAddress(address);
      return callback(null, socket);
    });
}

/** Returns the first bytes of a response as text. Leaving the loop closes the connection, even during an endless response. */
export async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let readBytes = 0;
  for await (const chunk of body) {
    if (readBytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - readBytes));
    readBytes += chunk.length;
    if (readBytes >= READ_BYTES) break;
  }
  // Streaming mode omits a character that is cut at the end. PostgreSQL cannot store NUL characters in strings.
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll("\0", "\ufffd");
}
