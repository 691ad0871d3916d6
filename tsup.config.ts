import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import { defineConfig, type Options } from "tsup";

const external = ["fast-csv"];

type Plugin = NonNullable<Options["plugins"]>[number];

// tsup's splitting of CommonJS writes the path of the building machine into the source maps.
const portableSourceMaps: Plugin = {
  name: "portable-source-maps",
  async buildEnd({ writtenFiles }) {
    for (const { name } of writtenFiles.filter((file) => file.name.endsWith(".map"))) {
      const map = JSON.parse(await readFile(name, "utf8")) as { file?: string; sources: string[] };
      const portable = (path: string) => (isAbsolute(path) ? basename(path) : path);
      if (map.file !== undefined) map.file = portable(map.file);
      map.sources = map.sources.map(portable);
      await writeFile(name, JSON.stringify(map));
    }
  },
};

/** The manual page, by the command that has been built. */
async function addManPage(): Promise<void> {
  await writeFile("dist/asi.1", execFileSync(process.execPath, ["dist/bin/asi.cjs", "man-page"]));
}

/** The compiled cores as files, and the type of what importing one gives. */
async function addCores(): Promise<void> {
  await copyFile("build/core-simd.wasm", "dist/core.wasm");
  await copyFile("build/core-scalar.wasm", "dist/core-scalar.wasm");
  await writeFile(
    "dist/wasm-module.d.ts",
    "declare const module: WebAssembly.Module;\nexport default module;\n",
  );
}
// Parts of the library that are bundled, each with its licence in front, which bundlers keep.
const LICENCES = [
  { module: /[\\/]saxes[\\/]saxes\.js$/, licence: "licences/saxes.txt" },
  { module: /[\\/]xmlchars[\\/]xml[\\/]1\.0[\\/]ed5\.js$/, licence: "node_modules/xmlchars/LICENSE" },
];
const licencesOfBundled: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "licences-of-bundled",
  setup(build) {
    for (const { module, licence } of LICENCES) {
      build.onLoad({ filter: module }, async ({ path }) => ({
        contents: `/*! ${await readFile(licence, "utf8")}*/\n${await readFile(path, "utf8")}`,
        loader: "js",
      }));
    }
  },
};

export default defineConfig([
  {
    // the library, for Node, browsers and bundlers
    entry: {
      csv: "src/csv.ts",
      index: "src/index.ts",
      json: "src/json.ts",
      metrics: "src/metrics/index.ts",
      node: "src/node.ts",
      packed: "src/packed/index.ts",
    },
    format: ["esm", "cjs"],
    target: "es2022",
    platform: "neutral",
    external: [/^node:/, ...external],
    dts: true,
    splitting: true,
    sourcemap: true,
    plugins: [portableSourceMaps],
    onSuccess: addCores,
    esbuildPlugins: [licencesOfBundled],
  },
  {
    // The command and its worker threads, each in one file and as CommonJS, with commander inside: every further file, and
    // the loader of ES modules, would cost start-up time. What the code imports only when it is needed runs only then.
    entry: { "bin/asi": "bin/asi.ts", "bin/worker": "bin/worker.ts" },
    format: "cjs",
    target: "node20",
    platform: "node",
    external,
    // the licence of commander wants to go with it
    noExternal: ["commander"],
    banner: { js: `/* commander\n${readFileSync("node_modules/commander/LICENSE", "utf8")}*/` },
    splitting: false,
    sourcemap: true,
    plugins: [portableSourceMaps],
    onSuccess: addManPage,
    esbuildPlugins: [licencesOfBundled],
  },
]);
