import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorBody, type ErrorKind, ServiceError } from "../domain/change/errors.js";
import { isOutage, isRefusedValue } from "../store/connection/database-errors.js";
import { PROBLEM_TYPE, type Problem, problemOf } from "./problem.js";

/**
 * Status of a call without valid credentials. The API documents status 403 even for missing
 * authentication, instead of the 401 that RFC 6750 recommends.
 */
export const UNAUTHENTICATED_STATUS = 403;

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  malformed: 400,
  conflict: 400,
  unauthenticated: UNAUTHENTICATED_STATUS,
  forbidden: 403,
  not_found: 404,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  throttled: 429,
  unavailable: 503,
};

/** No specification requires 403 for version 2 of the API. */
const STATUS_V2: Record<ErrorKind, number> = { ...STATUS, unauthenticated: 401, conflict: 409 };

/** Returns a version 2 error as part of a response. */
export const problemFor = ({ kind, code, body }: ServiceError): Problem =>
  problemOf(STATUS_V2[kind], code, body);

const isV2 = ({ routeOptions }: FastifyRequest): boolean => routeOptions?.config?.operation?.version === 2;

const MALFORMED = { code: "malformed", detail: "The request could not be read." };

/** Errors that the framework raises before code of the service runs. */
const FRAMEWORK: Record<number, { code: string; detail: string }> = {
  400: MALFORMED,
  404: { code: "not_found", detail: "Not found." },
  406: { code: "not_acceptable", detail: "Could not satisfy the request Accept header." },
  408: { code: "timeout", detail: "The request took too long to arrive." },
  413: { code: "too_large", detail: "The request body is too large." },
  414: { code: "not_found", detail: "Not found." },
  415: { code: "unsupported_media_type", detail: "Unsupported media type in request." },
  431: { code: "malformed", detail: "The request header is too large." },
};

/** Delay before a retry after the database becomes unavailable. Most restarts take less time. */
const RETRY_AFTER_S = 5;

const UNAVAILABLE = { detail: "The service is temporarily unavailable. Try again later." };

/** Values that JSON can express but the database cannot store. */
const REFUSED_VALUE = {
  non_field_errors: [
    "A value cannot be stored: a number with too many digits, a NUL character, or a structure that is too deep or too large.",
  ],
};

/** Sends an error in the format of its kind. An unexpected error becomes a 500 without details. */
export function sendError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // No hook has set this header if the framework raised the error.
  reply.header("X-Request-Id", request.id);
  if (error instanceof ServiceError) {
    if (error.kind === "unauthenticated" || error.code === "insufficient_scope") {
      const reason = error.code === "not_authenticated" ? "" : `, error="${error.code}"`;
      reply.header("WWW-Authenticate", `Bearer realm="api"${reason}`);
    }
    if (error.retryAfterMs !== undefined) {
      reply.header("Retry-After", Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
    }
    const statuses = isV2(request) ? STATUS_V2 : STATUS;
    return respond(reply, statuses[error.kind], error.code, error.body, error.fieldCodes);
  }
  if (isOutage(error)) {
    request.log.warn({ err: error }, "unavailable");
    reply.header("Retry-After", RETRY_AFTER_S);
    return respond(reply, 503, "unavailable", UNAVAILABLE);
  }
  if (isRefusedValue(error)) return respond(reply, 400, "invalid", REFUSED_VALUE);
  const status = "statusCode" in error && error.statusCode !== undefined ? error.statusCode : 500;
  const known = FRAMEWORK[status] ?? (status < 500 ? MALFORMED : undefined);
  if (known === undefined) {
    request.log.error({ err: error }, "request failed");
    return respond(reply, 500, "internal_error", { detail: "Internal server error." });
  }
  return respond(reply, status === 414 ? 404 : status, known.code, { detail: known.detail });
}

function respond(
  reply: FastifyReply,
  status: number,
  code: string,
  body: ErrorBody,
  fieldCodes: Readonly<Record<string, string>> = {},
): FastifyReply {
  const [type, content] = isV2(reply.request)
    ? [PROBLEM_TYPE, problemOf(status, code, body, fieldCodes)]
    : ["application/json; charset=utf-8", body];
  return (
    reply
      .removeHeader("Content-Disposition")
      // A file can fail before its first byte.
      .removeHeader("Content-Encoding")
      // The framework would close the connection while the client is still sending, which would reset it before the client reads
      // the response. Read and discard the rest of the body instead.
      .removeHeader("Connection")
      .code(status)
      .header("X-Error-Code", code)
      .header("Cache-Control", "no-store")
      .type(type)
      .send(JSON.stringify(content))
  );
}

/** Time that a refused client has to read the response. */
const LINGER_MS = 1000;

/** Responds to input that cannot be parsed as a request, because it is not HTTP or too large. */
export function refuseClient(error: NodeJS.ErrnoException, socket: Socket): void {
  // Internal name of Node.js for the response in progress, which must not be interrupted.
  const { _httpMessage: inProgress } = socket as { _httpMessage?: ServerResponse | null };
  if (error.code === "ECONNRESET" || !socket.writable || inProgress?.headersSent) {
    socket.destroy();
    return;
  }
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ""] ?? 400;
  const { code, detail } = FRAMEWORK[status] ?? MALFORMED;
  const body = JSON.stringify({ detail });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Error-Code: ${code}`,
      `X-Request-Id: ${randomUUID()}`,
      "Cache-Control: no-store",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  // Close later, because closing with unread data resets the connection and loses the response.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Time for which a throttled request waits for its response. The delay limits the processor time used by a client that
 * retries immediately.
 */
const THROTTLED_MS = 100;
/** Maximum number of such requests; delaying more would cost more memory than responding. */
const MAX_WAITING = 1_000;

/** Installs the handlers for errors and unknown paths. */
export function installErrors(app: FastifyInstance): void {
  let waiting = 0;
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const isThrottled = error instanceof ServiceError && error.kind === "throttled";
    if (!isThrottled || waiting >= MAX_WAITING) {
      sendError(error, request, reply);
      return;
    }
    waiting += 1;
    setTimeout(() => {
      waiting -= 1;
      sendError(error, request, reply);
    }, THROTTLED_MS);
  });
  app.setNotFoundHandler((_request, reply) => respond(reply, 404, "not_found", { detail: "Not found." }));
}
