import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const COMPRESSIBLE = /\.(js|css|html|svg|json|webmanifest|md)$/;

/** Writes the service worker with the list of files that the page needs without a network. */
const offline: Plugin = {
  name: "offline",
  apply: "build",
  async writeBundle({ dir = "dist" }) {
    const found = await readdir(dir, { recursive: true, withFileTypes: true });
    const files = found
      .filter((file) => file.isFile() && !/licences|\.(gz|br)$/.test(file.name))
      .map(({ parentPath, name }) => relative(dir, join(parentPath, name)).replaceAll("\\", "/"))
      .sort();
    const hash = createHash("sha256");
    for (const file of files) hash.update(file).update(await readFile(join(dir, file)));
    const template = await readFile(new URL("./service-worker.js", import.meta.url), "utf8");
    const script = template
      .replace("__VERSION__", hash.digest("hex").slice(0, 16))
      .replace("__FILES__", JSON.stringify(["./", ...files.filter((file) => file !== "index.html")]));
    await writeFile(join(dir, "sw.js"), script);
  },
};

/** Compresses every file during the build. Servers then need not compress each response. */
const compressedFiles: Plugin = {
  name: "compressed-files",
  apply: "build",
  writeBundle: {
    // after the service worker is written
    sequential: true,
    order: "post",
    async handler({ dir = "dist" }) {
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
  },
};

/** The page as a folder of static files for any address. */
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [offline, compressedFiles],
  build: {
    target: "es2022",
    license: { fileName: "licences.md" },
    // Scripts and styles are files, because the policy of the page forbids inline ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // the page ignores a slow machine
      checks: { pluginTimings: false },
      output: {
        // These parts are needed together: by every view with an account, and by the clock and the problems of a squad. Separate files
        // would be larger.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: "dialog",
              test: /src\/app\/parts\/(action|announcements|dialog|first-focus|form|unsaved)\.tsx?$/,
            },
            {
              name: "period-edits",
              test: /src\/squad\/(ignore|clock\/(clock-canvas|clock-words|on-pitch|period-edits|substitutions))\.ts$/,
            },
          ],
        },
        // a test uses these names to measure the size of the views with an account
        chunkFileNames: ({ moduleIds }) =>
          `assets/${moduleIds.some((id) => id.includes("/src/app/")) ? "app-" : ""}[name]-[hash].js`,
      },
    },
  },
  worker: { format: "es" },
});
