import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errors } from "../domain/change/errors.js";

const MAX_SHOWN = 200;

/** Returns the path of a request for the log, escaped, truncated, and without the query, which may contain secrets. */
export function shownPath({ url }: Pick<FastifyRequest, "url">): string {
  const [path = ""] = url.split("?", 1);
  // Node.js represents each byte of the path as one character.
  const escaped = path
    .slice(0, MAX_SHOWN)
    .replace(/[^\x21-\x7e]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  return path.length > MAX_SHOWN ? `${escaped}…` : escaped;
}

/**
 * Converts the URL of a route to a regular expression: `/api/v1/devices/:device(^[1-9]\d{0,15}$)/`. All other text is
 * literal, because the file names of a page may contain any characters.
 */
const asPattern = (url: string) => {
  const [first = "", ...rest] = url.split(/:\w+\(([^)]*)\)/);
  const parts = rest.map((part, index) =>
    index % 2 === 0 ? `(?:${part.replace(/[\^$]/g, "")})` : escaped(part),
  );
  return new RegExp(`^${escaped(first)}${parts.join("")}$`);
};

const escaped = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");

/**
 * Returns the path that the router compares with its routes. `%61` becomes `a`, and characters that would divide a path
 * stay encoded.
 */
function routedPath(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A known URL, and the methods that have a route there. */
interface KnownUrl {
  pattern: RegExp;
  methods: ReadonlySet<string>;
}

/**
 * Responds to requests without a route. On a known path: OPTIONS gets `Allow`, other methods get 405 and `Allow` (RFC 9110
 * sections 9.3.7 and 15.5.6). On an unknown path: 404 with an explanation. A single handler replaces routes for the other methods
 * of each path, because routes take most of the time of a start.
 * @param methodsByUrl methods of all routes, read at the first such request
 */
export function answerUnrouted(
  methodsByUrl: ReadonlyMap<string, ReadonlySet<string>>,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  let urls: KnownUrl[] | undefined;
  return ({ url, method }, reply) => {
    urls ??= [...methodsByUrl].map(([known, methods]) => ({ pattern: asPattern(known), methods }));
    const path = routedPath(url);
    const found = urls.filter(({ pattern }) => pattern.test(path));
    if (found.length > 0) {
      const methods = new Set(found.flatMap((one) => [...one.methods]));
      reply.header("Allow", [...methods, "OPTIONS"].sort().join(", "));
      if (method === "OPTIONS") return reply.code(204).send();
      return reply
        .code(405)
        .header("X-Error-Code", "method_not_allowed")
        .send({ detail: `Method "${method}" not allowed.` });
    }
    const lacksSlash = !path.endsWith("/") && urls.some(({ pattern }) => pattern.test(`${path}/`));
    throw lacksSlash
      ? errors.notFound("Not found: the slash at the end of the path is missing.")
      : errors.notFound();
  };
}

/** Collects the methods of each URL as routes are added. */
export function collectMethods(app: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsByUrl.set(url, methods);
  });
  return methodsByUrl;
}
