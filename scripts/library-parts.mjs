// Writes the parts of the library that its main entry needs, with all their names, as one module: the command loads them from the
// library beside it, so that the package contains them only once.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { buildSync } from "esbuild";

/** The name of the built module. */
export const PARTS = "parts";

/** The generated source of the module. */
export const SOURCE = "build/parts.ts";

const MAIN = "src/index.ts";

/** The static imports of a file, and their imports, from the metafile of a bundle. */
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
  // by name, so that a name in two parts is an error instead of being omitted
  const lines = Object.values(outputs).map(({ entryPoint, exports }) => {
    const from = relative(dirname(SOURCE), entryPoint).replaceAll("\\", "/");
    return `export { ${exports.join(", ")} } from ${JSON.stringify(from)};\n`;
  });
  mkdirSync(dirname(SOURCE), { recursive: true });
  writeFileSync(SOURCE, lines.join(""));
  return new Set(paths.map((path) => resolve(path)));
}

/** Imports the parts from the module beside the command. @param parts their absolute paths */
export const partsOfLibrary = (parts) => ({
  name: "parts-of-library",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) => {
      const source = join(resolveDir, path).replace(/\.js$/, ".ts");
      return parts.has(source) ? { path: `../${PARTS}.cjs`, external: true } : undefined;
    });
  },
});
