import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { openApiDocument } from "../openapi.js";

const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>API</title><link rel="stylesheet" href="swagger-ui.css"></head>
<body><div id="documentation"></div><script src="swagger-ui-bundle.js"></script><script src="start.js"></script></body>
</html>
`;

// Relative, because a proxy may serve the API under a path.
const START = `SwaggerUIBundle({ url: "../schema/", dom_id: "#documentation", deepLinking: true });
`;

const OPEN = { config: { open: true } };

/** Swagger UI sets style attributes and shows inline pictures; everything comes from this server. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The OpenAPI document, made from the operations, and a page that shows it. */
export function docsRoutes(app: FastifyInstance): void {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  let document: string | undefined;

  app.get("/api/schema/", OPEN, async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(app.operations, app.config.baseUrl ?? app.listeningOrigin));
    return reply.type("application/json; charset=utf-8").send(document);
  });

  app.get("/api/docs/", OPEN, async (_request, reply) =>
    reply.type("text/html; charset=utf-8").header("Content-Security-Policy", POLICY).send(PAGE),
  );

  app.get("/api/docs/start.js", OPEN, async (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(START),
  );

  for (const [name, type] of Object.entries(ASSETS)) {
    let content: Buffer | undefined;
    app.get(`/api/docs/${name}`, OPEN, async (_request, reply) => {
      content ??= readFileSync(join(folder, name));
      return reply.type(type).header("Cache-Control", "public, max-age=86400").send(content);
    });
  }
}
