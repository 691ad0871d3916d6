import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { SMALL } from "./scripts/finish-library.mjs";
import { PARTS, partsOfLibrary, SOURCE, writeParts } from "./scripts/library-parts.mjs";

const external = ["fast-csv"];

const esbuildOptions: NonNullable<Options["esbuildOptions"]> = (options) => {
  Object.assign(options, SMALL);
};

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
/** Code of others has short names too: who reads a stack trace reads ours. */
const othersBundled: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "others-bundled",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const { code } = await transform(source, { minify: true, lineLimit: 160, legalComments: "none" });
      const { licence } = LICENCES.find(({ module }) => module.test(path)) ?? {};
      const notice = licence === undefined ? "" : `/*! ${await readFile(licence, "utf8")}*/\n`;
      return { contents: notice + code, loader: "js" };
    });
  },
};

/** Of the command alone. */
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
      [PARTS]: SOURCE,
      squad: "src/squad-report/index.ts",
      "squad-report": "src/squad-report/squad-report.ts",
    },
    // CommonJS comes from it, when all is built
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
    esbuildOptions,
    esbuildPlugins: [othersBundled, partsOfLibrary(parts)],
  },
]);
