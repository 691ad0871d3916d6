import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { SMALL } from "./scripts/finish-library.mjs";
import { PARTS, partsOfLibrary, sourceOf, writeParts } from "./scripts/library-parts.mjs";

const external = ["fast-csv"];

const esbuildOptions: NonNullable<Options["esbuildOptions"]> = (options) => {
  Object.assign(options, SMALL);
};

// Bundled parts of the library, each with its licence at its beginning, which bundlers keep. The licence of the loader is as long as its
// code, so it is a file in the package.
const LICENCES = [
  {
    module: /@assemblyscript[\\/]loader[\\/]index\.js$/,
    licence: "licences/assemblyscript-loader-notice.txt",
  },
  { module: /[\\/]saxes[\\/]saxes\.js$/, licence: "licences/saxes.txt" },
  { module: /[\\/]xmlchars[\\/]xml[\\/]1\.0[\\/]ed5\.js$/, licence: "node_modules/xmlchars/LICENSE" },
];
/** Features of write-excel-file that act only on options that the command never sets. */
const UNUSED =
  /[\\/]write-excel-file[\\/]modules[\\/]xlsx[\\/]features[\\/](images|conditionalFormatting)\.js$/;
/** Names in bundled packages are shortened too: readers of stack traces need only ours. */
const othersBundled: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "others-bundled",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, async ({ path }) => {
      if (UNUSED.test(path)) return { contents: "export default { files: {} };" };
      const source = await readFile(path, "utf8");
      const { code } = await transform(source, { minify: true, lineLimit: 240, legalComments: "none" });
      const { licence } = LICENCES.find(({ module }) => module.test(path)) ?? {};
      const notice = licence === undefined ? "" : `/*! ${await readFile(licence, "utf8")}*/\n`;
      return { contents: notice + code, loader: "js" };
    });
  },
};

/** Packages bundled only into the command. */
const BUNDLED = ["commander", "fflate", "write-excel-file"];

const parts = writeParts();

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
      ...Object.fromEntries(PARTS.map((name) => [name, sourceOf(name)])),
      squad: "src/squad-report/index.ts",
      "squad-report": "src/squad-report/squad-report.ts",
      "squad-sheets": "src/squad/sheets.ts",
    },
    // CommonJS is made from it after the build
    format: "esm",
    target: "es2022",
    platform: "neutral",
    external: [/^node:/, ...external],
    splitting: true,
    esbuildOptions,
    esbuildPlugins: [othersBundled],
  },
  {
    // The command and its worker threads in one file, as CommonJS, with commander inside: every further file, and the loader of
    // ES modules, would increase start-up time. Code that is imported on demand also runs only on demand.
    entry: { "bin/asi": "bin/asi.ts" },
    format: "cjs",
    target: "node20",
    platform: "node",
    external,
    // their licences must be included
    noExternal: [...BUNDLED],
    banner: {
      js: BUNDLED.map((name) => `/* ${name}\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}*/`).join(
        "\n",
      ),
    },
    splitting: false,
    esbuildOptions,
    esbuildPlugins: [othersBundled, partsOfLibrary(parts)],
  },
]);
