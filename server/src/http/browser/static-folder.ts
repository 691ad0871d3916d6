import fastifyStatic from "@fastify/static";
import type { FastifyInstance } from "fastify";

export interface StaticFolder {
  folder: string;
  /** URL path of the folder, with a trailing slash. */
  prefix: string;
  /** Content security policy of its files. */
  policy: string;
  /** Additional headers of its HTML files. */
  documentHeaders?: Readonly<Record<string, string>>;
  /** Whether a file never changes under its name. @param path path of the file on disk */
  isImmutable?(path: string): boolean;
}

/**
 * Serves a folder of built files. Serves only files that exist at the start, each at its own path. The paths of the API
 * and the responses to unknown paths therefore do not depend on the folder. A browser loads many files at once, so they
 * are neither throttled nor queued.
 */
export async function serveFolder(
  app: FastifyInstance,
  { folder, prefix, policy, documentHeaders = {}, isImmutable = () => false }: StaticFolder,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, unguarded: true };
    });
    await scope.register(fastifyStatic, {
      root: folder,
      prefix,
      wildcard: false,
      // Compressed at build time; sent in place of the uncompressed files.
      preCompressed: true,
      globIgnore: ["**/*.br", "**/*.gz"],
      cacheControl: false,
      setHeaders(reply, path) {
        reply.header("Content-Security-Policy", policy);
        if (/\.html(\.(br|gz))?$/.test(path)) {
          for (const [name, value] of Object.entries(documentHeaders)) reply.header(name, value);
        }
        reply.header("Cache-Control", isImmutable(path) ? "public, max-age=31536000, immutable" : "no-cache");
      },
    });
  });
}
