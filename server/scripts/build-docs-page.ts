/**
 * Builds the page at `/api/docs/` into `dist/docs-page/`: Swagger UI and the additions of this project. Compresses
 * every file, which the service would otherwise do per request. Part of the build.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "esbuild";

const fromServer = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The highest quality reduces the size of Swagger UI by a tenth but takes twenty times as long in every build. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

export async function buildDocsPage(): Promise<void> {
  const outdir = fromServer("dist/docs-page");
  await build({
    entryPoints: ["main.ts", "theme.ts", "docs.css"].map((name) => fromServer(`docs-page/${name}`)),
    entryNames: "[name]",
    outdir,
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022", "chrome111", "firefox114", "safari16.4"],
  });
  await mkdir(outdir, { recursive: true });
  const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const copied = [
    [fromServer("docs-page/index.html"), "index.html"],
    [fromServer("../web/public/icon.svg"), "icon.svg"],
    [join(swagger, "swagger-ui-bundle.js"), "swagger-ui.js"],
    [join(swagger, "swagger-ui-bundle.js.LICENSE.txt"), "swagger-ui.js.LICENSE.txt"],
    [join(swagger, "LICENSE"), "swagger-ui-LICENSE.txt"],
    [join(swagger, "NOTICE"), "swagger-ui-NOTICE.txt"],
  ] as const;
  await Promise.all(copied.map(async ([from, name]) => writeFile(join(outdir, name), await readFile(from))));
  const files = (await readdir(outdir)).filter((name) => /\.(js|css|html|svg)$/.test(name));
  await Promise.all(
    files.map(async (name) => {
      const content = await readFile(join(outdir, name));
      await writeFile(join(outdir, `${name}.gz`), await promisify(gzip)(content, { level: 9 }));
      await writeFile(join(outdir, `${name}.br`), await promisify(brotliCompress)(content, BROTLI));
    }),
  );
}
