import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { PAGE_POLICY } from "../browser/page-policy.js";
import { serveFolder } from "../browser/static-folder.js";

const PAGE_PACKAGE = "asi-web";

/** Returns the folder of the built page: next to this file in the package of the service, in its workspace in the repository. */
function builtPage(): string | undefined {
  const packed = fileURLToPath(new URL("./page", import.meta.url));
  if (existsSync(packed)) return packed;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PAGE_PACKAGE}/package.json`)), "dist");
  } catch {
    return undefined;
  }
}

/** Folder in which file names contain a hash of the content, so the files never change. */
const HASHED = `assets${sep}`;

/**
 * Indicates a service behind the page (RFC 8631). The page offers to sign in only with this header, which a folder of
 * static files lacks. The address is relative, because the page may be under a path prefix.
 */
const SERVICE_LINK = '<api/schema/>; rel="service-desc"';

/** Serves the page at `/`. */
export async function pageRoutes(app: FastifyInstance): Promise<void> {
  const folder = app.config.pageDir === "" ? builtPage() : resolve(app.config.pageDir);
  if (folder === undefined || !existsSync(join(folder, "index.html"))) {
    const howToBuild = `The page has not been built. Build it with \`npm run build -w ${PAGE_PACKAGE}\` and start the service again, or set PAGE_DIR to the folder of a built page.`;
    app.get("/", { config: { unguarded: true } }, async () => {
      throw errors.notFound(howToBuild);
    });
    return;
  }
  await serveFolder(app, {
    folder,
    prefix: "/",
    policy: PAGE_POLICY,
    documentHeaders: {
      Link: SERVICE_LINK,
      // The page refuses a larger file before sending it.
      "X-Asi-Max-Recording-Bytes": String(app.config.bulkLoadMaxBytes),
      // Ways in which users sign in.
      ...(app.config.openidIssuer === null
        ? {}
        : { "X-Asi-Provider": encodeURIComponent(app.config.openidName) }),
      ...(app.config.passwordSignIn ? {} : { "X-Asi-Passwords": "off" }),
    },
    isImmutable: (path) => relative(folder, path).startsWith(HASHED),
  });
}
