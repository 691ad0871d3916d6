import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";

const external = ["fast-csv"];

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
    'import type { CompiledModule } from "./index.js";\ndeclare const module: CompiledModule;\nexport default module;\n',
  );
}
// Parts of the library that are bundled, each with its licence in front, which bundlers keep. That of the loader is as long as its
// code, so the package has it as a file.
const LICENCES = [
  {
    module: /@assemblyscript[\\/]loader[\\/]index\.js$/,
    licence: "licences/assemblyscript-loader-notice.txt",
  },
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

/** For a small package. Names stay, and lines stay short, for who reads a stack trace. */
const withoutWhitespace: NonNullable<Options["esbuildOptions"]> = (options) => {
  options.minifyWhitespace = true;
  options.lineLimit = 160;
};

/** Of the command alone. */
const BUNDLED = ["commander", "fflate", "write-excel-file"];

export default defineConfig([
  {
    // the library, for Node, browsers and bundlers
    entry: {
      csv: "src/api/csv.ts",
      index: "src/index.ts",
      json: "src/api/json.ts",
      metrics: "src/metrics/index.ts",
      node: "src/node.ts",
      packed: "src/packed/index.ts",
      squad: "src/squad-report/index.ts",
      "squad-report": "src/squad-report/squad-report.ts",
    },
    format: ["esm", "cjs"],
    target: "es2022",
    platform: "neutral",
    external: [/^node:/, ...external],
    splitting: true,
    esbuildOptions: withoutWhitespace,
    onSuccess: addCores,
    esbuildPlugins: [licencesOfBundled],
  },
  {
    // The command and its worker threads in one file, as CommonJS, with commander inside: every further file, and the loader of
    // ES modules, would cost start-up time. What the code imports only when it is needed runs only then.
    entry: { "bin/asi": "bin/asi.ts" },
    format: "cjs",
    target: "node20",
    platform: "node",
    external,
    // the licences want to go with them
    noExternal: [...BUNDLED],
    banner: {
      js: BUNDLED.map((name) => `/* ${name}\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}*/`).join(
        "\n",
      ),
    },
    splitting: false,
    esbuildOptions: withoutWhitespace,
    onSuccess: addManPage,
    esbuildPlugins: [licencesOfBundled],
  },
]);
