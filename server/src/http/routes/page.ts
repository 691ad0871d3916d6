import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";
import { errors } from "../../domain/errors.js";
import { PAGE_POLICY } from "../page-policy.js";

const PAGE_PACKAGE = "asi-web";

/** The built page: in the package of the service beside this file, in the repository in its workspace. */
function builtPage(): string | undefined {
  const packed = fileURLToPath(new URL("./page", import.meta.url));
  if (existsSync(packed)) return packed;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PAGE_PACKAGE}/package.json`)), "dist");
  } catch {
    return undefined;
  }
}

/** The build puts a hash of the content into the names of all files in this folder, so that they never change. */
const HASHED = `assets${sep}`;

/**
 * Says that there is a service behind the page (RFC 8631). The page offers to sign in only then; a folder of static files has no
 * such header. The address is relative, so that it is right under a path prefix too.
 */
const SERVICE_LINK = '<api/schema/>; rel="service-desc"';

/**
 * Serves the page at `/`. Only files that are there at the start are served, each at its own path, so the paths of the API
 * and the responses to unknown paths are the same with and without the page. A browser loads many files at once, so they are
 * neither throttled nor queued.
 */
export async function pageRoutes(app: FastifyInstance): Promise<void> {
  const folder = app.config.pageDir === "" ? builtPage() : resolve(app.config.pageDir);
  if (folder === undefined || !existsSync(join(folder, "index.html"))) {
    const howToBuild = `There is no page here. Build it with \`npm run build -w ${PAGE_PACKAGE}\` and start the service again, or set PAGE_DIR to the folder of a built page.`;
    app.get("/", { config: { unguarded: true } }, async () => {
      throw errors.notFound(howToBuild);
    });
    return;
  }
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, unguarded: true };
    });
    await scope.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      // Compressed when the page was built; they are sent in place of the files beside them.
      preCompressed: true,
      globIgnore: ["**/*.br", "**/*.gz"],
      cacheControl: false,
      setHeaders(reply, path) {
        const isHashed = relative(folder, path).startsWith(HASHED);
        reply.header("Content-Security-Policy", PAGE_POLICY);
        if (/\.html(\.(br|gz))?$/.test(path)) reply.header("Link", SERVICE_LINK);
        reply.header("Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
      },
    });
  });
}
