// The parts of the library that its main entry needs, with all their names, as one module: the command has them from the library
// beside it, so that the package has them once less.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { buildSync } from "esbuild";

/** The module is built under this name. */
export const PARTS = "parts";

/** The source of the module, which is written. */
export const SOURCE = "build/parts.ts";

const MAIN = "src/index.ts";

/** Files that a file imports at once, and what these import, from the metafile of a bundle. */
function needed(inputs, file) {
  const found = new Set([file]);
  for (const path of found) {
    for (const { path: imported, kind, external } of inputs[path].imports)
      if (kind === "import-statement" && !external) found.add(imported);
  }
  found.delete(file);
  return found;
}

/** Writes the module. @returns the absolute paths of the parts */
export function writeParts() {
  const options = { format: "esm", write: false, metafile: true, outdir: "build", logLevel: "error" };
  const { inputs } = buildSync({
    ...options,
    entryPoints: [MAIN],
    bundle: true,
    packages: "external",
  }).metafile;
  const paths = [...needed(inputs, MAIN)].sort();
  const { outputs } = buildSync({ ...options, entryPoints: paths }).metafile;
  // by name: a name that two parts have is an error then, and not left out
  const lines = Object.values(outputs).map(({ entryPoint, exports }) => {
    const from = relative(dirname(SOURCE), entryPoint).replaceAll("\\", "/");
    return `export { ${exports.join(", ")} } from ${JSON.stringify(from)};\n`;
  });
  mkdirSync(dirname(SOURCE), { recursive: true });
  writeFileSync(SOURCE, lines.join(""));
  return new Set(paths.map((path) => resolve(path)));
}

/** Takes the parts from the module beside the command. @param parts their absolute paths */
export const partsOfLibrary = (parts) => ({
  name: "parts-of-library",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path).replace(/\.js$/, ".ts");
      return parts.has(source) ? { path: `../${PARTS}.cjs`, external: true } : undefined;
    });
  },
});
