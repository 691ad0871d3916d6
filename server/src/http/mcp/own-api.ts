import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { madeFor } from "../connection/own-requests.js";
import { clientLeft } from "../connection/response-end.js";
import type { Problem } from "../problem.js";

/** A larger resource would block other requests while it is parsed. A season of 40 players in 400 sessions takes 5 MB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A tool cannot return a result. The message contains the reason and the required action. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The source of a result. */
export interface Source {
  /** URL of the resource of the API that has the same values. */
  url: string;
  /** Entity tag: the version of the values in the caller's view; null if the API has none. */
  version: string | null;
}

/** A resource as the caller sees it. */
export interface Found<T> {
  body: T;
  source: Source;
}

type QueryValue = string | number | undefined;

/**
 * Reads the API of the service as the caller of a request, in the same process. Each read is a request with its own authentication,
 * rights, throttles, queues and log line, so a tool cannot see more than its caller.
 */
export class OwnApi {
  readonly #app: FastifyInstance;
  readonly #request: FastifyRequest;
  readonly #authorization: string;

  /** @throws ServiceError `unauthenticated` for a caller with a cookie instead of a token */
  constructor(app: FastifyInstance, request: FastifyRequest) {
    const { authorization } = request.headers;
    if (authorization === undefined) throw errors.unauthenticated(false);
    this.#app = app;
    this.#request = request;
    this.#authorization = authorization;
  }

  /**
   * @throws ToolError with the code of the API
   * @throws Error for a parameter that the API ignores, because the result would answer another question
   */
  async get<T>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Found<T>> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const url = search === "" ? path : `${path}?${search}`;
    const { answer, text } = await this.#read(url);
    if (answer.statusCode !== 200) throw refused(answer.statusCode, answer.headers, text);
    const ignored = answer.headers["x-ignored"];
    if (ignored !== undefined) throw new Error(`The API ignores these parameters of ${path}: ${ignored}.`);
    return {
      body: JSON.parse(text) as T,
      source: {
        url: `${this.#app.config.baseUrl ?? this.#app.listeningOrigin}${url}`,
        version: answer.headers.etag?.toString() ?? null,
      },
    };
  }

  /** Makes the request. It ends with the request of the caller, or when its response is too large. */
  async #read(url: string) {
    const { ip, id, ctx } = this.#request;
    const enough = new AbortController();
    const signals = ctx.signal === undefined ? [enough.signal] : [ctx.signal, enough.signal];
    const headers = { authorization: this.#authorization, accept: "application/json", "x-request-id": id };
    try {
      // `inject` begins the request only when it is awaited, so await it inside this function.
      const answer = await madeFor(AbortSignal.any(signals), async () => {
        return await this.#app.inject({
          ...{ method: "GET", url, remoteAddress: ip, headers },
          payloadAsStream: true,
        });
      });
      return { answer, text: await textOf(answer.stream()) };
    } catch (error) {
      enough.abort();
      throw ctx.signal?.aborted ? clientLeft() : error;
    }
  }
}

/** @throws ToolError `too_large` */
async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      const limit = `${MAX_BYTES / 2 ** 20} MiB`;
      throw new ToolError(
        "too_large",
        `The resource has more than ${limit}. Request a shorter interval, or read it from the API.`,
      );
    }
  }
  return Buffer.concat(chunks).toString();
}

/** The required action for a code of the API, in addition to its description. */
const ADVICE: Readonly<Record<string, string>> = {
  not_found: "It does not exist or you cannot see it; list_squads and list_sessions return what you can see.",
  permission_denied: "Your account has no right to it; devices and samples are only for their owner.",
  insufficient_scope: "Use a token with this scope.",
};

function refused(status: number, headers: Readonly<Record<string, unknown>>, text: string): ToolError {
  const code = String(headers["x-error-code"] ?? status);
  let detail = `Status ${status}.`;
  try {
    const body = JSON.parse(text) as Partial<Problem>;
    detail = typeof body.detail === "string" ? body.detail : JSON.stringify(body);
  } catch {
    // The body is not JSON, so use only the status.
  }
  const retry = headers["retry-after"] === undefined ? "" : ` Try again in ${headers["retry-after"]} s.`;
  return new ToolError(code, `${detail}${retry} ${ADVICE[code] ?? ""}`.trim());
}
