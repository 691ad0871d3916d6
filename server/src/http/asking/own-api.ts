import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Problem } from "../problem.js";

/** A tool cannot answer: the caller learns the reason and what to do. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Where an answer comes from. */
export interface Source {
  /** URL of the resource of the API that has the same values. */
  url: string;
  /** Entity tag: the version of the values in the view of the caller; null where the API has none. */
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

  constructor(app: FastifyInstance, request: FastifyRequest) {
    this.#app = app;
    this.#request = request;
  }

  /** @throws ToolError with the code of the API */
  async get<T>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Found<T>> {
    const { headers, ip, id, ctx } = this.#request;
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const url = search === "" ? path : `${path}?${search}`;
    const answer = await this.#app.inject({
      method: "GET",
      url,
      remoteAddress: ip,
      signal: ctx.signal as AbortSignal,
      headers: { authorization: headers.authorization ?? "", accept: "application/json", "x-request-id": id },
    });
    if (answer.statusCode !== 200) throw refused(answer.statusCode, answer.headers, answer.body);
    return {
      body: answer.json<T>(),
      source: {
        url: `${this.#app.config.baseUrl ?? this.#app.listeningOrigin}${url}`,
        version: answer.headers.etag?.toString() ?? null,
      },
    };
  }
}

/** What to do about a code of the API, besides its description. */
const ADVICE: Readonly<Record<string, string>> = {
  not_found: "It does not exist, or you may not see it: list_squads and list_sessions name what you may see.",
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
    // the status has to do
  }
  const retry = headers["retry-after"] === undefined ? "" : ` Try again in ${headers["retry-after"]} s.`;
  return new ToolError(code, `${detail}${retry} ${ADVICE[code] ?? ""}`.trim());
}
