import type { FastifyInstance, HTTPMethods } from "fastify";

/**
 * Responds to all other methods on known paths: to OPTIONS with `Allow`, to the rest with 405 and `Allow` (RFC 9110
 * sections 9.3.7 and 15.5.6). Call it after adding all routes.
 */
export function routeOtherMethods(
  app: FastifyInstance,
  methodsByUrl: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, methods] of methodsByUrl) {
    const allow = [...methods, "OPTIONS"].sort().join(", ");
    app.options(url, { exposeHeadRoute: false }, async (_request, reply) =>
      reply.code(204).header("Allow", allow).send(),
    );
    const others = app.supportedMethods.filter((method) => method !== "OPTIONS" && !methods.has(method));
    app.route({
      method: others as HTTPMethods[],
      url,
      exposeHeadRoute: false,
      // Refused before a body is read.
      onRequest: async (request, reply) =>
        reply
          .code(405)
          .header("Allow", allow)
          .header("X-Error-Code", "method_not_allowed")
          .send({ detail: `Method "${request.method}" not allowed.` }),
      handler: async () => undefined,
    });
  }
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
