// Writes the parts of the library's entries, with all their exports, as modules. The command loads them from the library
// beside it, so that the package contains them only once.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buildSync } from "esbuild";

/** The built modules by their names, each with the entries whose parts it contains. A part of two modules belongs to the first one. */
const MODULES = {
  parts: ["src/index.ts"],
  // the parts below the figures, which every command needs
  common: [
    "src/metrics/rounding.ts",
    "src/pictures/figure-text.ts",
    "src/rows/instant-format.ts",
    "src/squad/wildcards.ts",
  ],
  // separate modules, because conversions load none of them
  figures: [
    "src/metrics/index.ts",
    "src/squad-report/index.ts",
    "src/squad-report/squad-report.ts",
    "src/squad/sheets.ts",
  ],
  // needed by some formats only
  tables: ["src/formats/parquet/parquet-writer.ts", "src/tracks/csv-track.ts"],
};

/** Names of the built modules. */
export const PARTS = Object.keys(MODULES);

/** Returns the path of a module's generated source. */
export const sourceOf = (name) => `build/${name}.ts`;

/** Returns the static imports of a file, and their imports, from the metafile of a bundle. */
function needed(inputs, file) {
  const found = new Set([file]);
  for (const path of found) {
    for (const { path: imported, kind, external } of inputs[path].imports)
      if (kind === "import-statement" && !external) found.add(imported);
  }
  found.delete(file);
  return found;
}

/**
 * Writes the modules.
 * @returns the names of the modules by the absolute paths of their parts
 */
export function writeParts() {
  const options = { format: "esm", write: false, metafile: true, outdir: "build", logLevel: "error" };
  const modules = new Map();
  for (const [name, entryPoints] of Object.entries(MODULES)) {
    const bundled = { ...options, entryPoints, bundle: true, packages: "external", outbase: "src" };
    const { inputs } = buildSync(bundled).metafile;
    const all = entryPoints.flatMap((entry) => [...needed(inputs, entry), entry]);
    const paths = [...new Set(all)]
      .filter((path) => !modules.has(resolve(path)) && !path.endsWith("/index.ts"))
      .sort();
    const { outputs } = buildSync({ ...options, entryPoints: paths }).metafile;
    // exports by name, because a name that two parts export must be an error instead of being omitted
    const lines = Object.values(outputs).map(({ entryPoint, exports }) => {
      const from = relative("build", entryPoint).replaceAll("\\", "/");
      const passedOn =
        readFileSync(entryPoint, "utf8")
          .match(/^export \{[^}]*\} from/gm)
          ?.join() ?? "";
      const own = exports.filter((one) => !new RegExp(`\\b${one}\\b`).test(passedOn));
      return `export { ${own.join(", ")} } from ${JSON.stringify(from)};\n`;
    });
    mkdirSync("build", { recursive: true });
    writeFileSync(sourceOf(name), lines.join(""));
    for (const path of paths) modules.set(resolve(path), name);
  }
  return modules;
}

/**
 * Replaces imports of these parts with imports of the modules beside the command.
 * @param parts the result of `writeParts`
 */
export const partsOfLibrary = (parts) => ({
  name: "parts-of-library",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) => {
      const name = parts.get(join(resolveDir, path).replace(/\.js$/, ".ts"));
      return name === undefined ? undefined : { path: `../${name}.cjs`, external: true };
    });
  },
});
