import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const COMPRESSIBLE = /\.(js|css|html|svg|json|webmanifest|md)$/;

/** Compresses every file at build, so that no server has to do it for each request. */
const compressedFiles: Plugin = {
  name: "compressed-files",
  apply: "build",
  async writeBundle({ dir = "dist" }) {
    const files = await readdir(dir, { recursive: true, withFileTypes: true });
    await Promise.all(
      files
        .filter((file) => file.isFile() && COMPRESSIBLE.test(file.name))
        .map(async ({ parentPath, name }) => {
          const path = join(parentPath, name);
          const content = await readFile(path);
          await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
          await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
        }),
    );
  },
};

/** The page as a folder of static files, to be served at any address. */
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [compressedFiles],
  build: {
    target: "es2022",
    license: { fileName: "licences.md" },
    // Scripts and styles are files: the policy of the page allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
});
