import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import Negotiator from "negotiator";
import { errors } from "../../domain/change/errors.js";
import { serveFolder } from "../browser/static-folder.js";
import { openApiDocument } from "../documentation/openapi.js";

const OPEN = { config: { open: true } };

/**
 * The policy is as strict as the policy of the page. Swagger UI sets styles by script, which does not count as an
 * inline style. `img-src` allows `data:` and `blob:`, because the documentation can show responses that are pictures.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Folder of the built documentation: next to the built service, or, relative to this file, in the build folder. */
const FOLDER = ["./docs-page", "../../../dist/docs-page"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((folder) => existsSync(join(folder, "index.html")));

/** Serves the OpenAPI document, which is generated from the operations, and a page that displays it. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  const newDocument = async () => {
    const baseUrl = app.config.baseUrl ?? app.listeningOrigin;
    const identity = Buffer.from(JSON.stringify(openApiDocument(app.operations, baseUrl)));
    return { identity, gzip: await promisify(gzip)(identity) };
  };
  let document: ReturnType<typeof newDocument> | undefined;

  app.get("/api/schema/", OPEN, async (request, reply) => {
    document ??= newDocument();
    const isCompressed = new Negotiator(request.raw).encoding(["gzip", "identity"]) === "gzip";
    reply.type("application/json; charset=utf-8").header("Vary", "Accept-Encoding");
    if (isCompressed) reply.header("Content-Encoding", "gzip");
    return reply.send((await document)[isCompressed ? "gzip" : "identity"]);
  });

  if (FOLDER === undefined) {
    app.get("/api/docs/", OPEN, async () => {
      throw errors.notFound("The documentation has not been built. Run `npm run build -w server`.");
    });
    return;
  }
  await serveFolder(app, { folder: FOLDER, prefix: "/api/docs/", policy: POLICY });
}
