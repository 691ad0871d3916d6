// Completes the built ES modules and the command: node scripts/finish-library.mjs
// It creates the entries for `require` from the ES modules file by file, so that a part which several entries share remains one file. The
// CommonJS output of tsup would need a second transformer, which joins words if there is no white space.
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { PARTS } from "./library-parts.mjs";
import { shortenImports, shortenNames } from "./shorten-names.mjs";

/** Options that keep the package small. The length of lines is limited, so that the positions in stack traces remain useful. */
export const SMALL = { minifyWhitespace: true, minifySyntax: true, lineLimit: 800 };

/**
 * Replaces imports of `./name.js` with `./name.cjs`.
 * @param onImport called with each name
 */
const ofCommonJs = (onImport) => ({
  name: "of-commonjs",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === "entry-point") return undefined;
      const [, name] = /^\.\/(.*)\.js$/.exec(path) ?? [];
      if (name === undefined) return { path, external: true };
      onImport(name);
      return { path: `./${name}.cjs`, external: true };
    });
  },
});

async function addCommonJs() {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const required = Object.values(exports).flatMap(({ require }) => require?.default ?? []);
  // the imports of each entry are added to this set
  const names = new Set([...PARTS, ...required.map((path) => path.replace(/^\.\/dist\/|\.cjs$/g, ""))]);
  for (const name of names) {
    await build({
      entryPoints: [`dist/${name}.js`],
      outfile: `dist/${name}.cjs`,
      bundle: true,
      format: "cjs",
      target: "es2022",
      // for Node.js, esbuild repeats the names of the exports, which only ES modules that import an entry need
      platform: name.startsWith("chunk-") ? "neutral" : "node",
      // otherwise, a dynamic import would load the ES module
      supported: { "dynamic-import": false },
      plugins: [ofCommonJs((imported) => names.add(imported))],
      ...SMALL,
    });
  }
  // only the command needs these files
  for (const name of PARTS) rmSync(`dist/${name}.js`);
}

/** Checks the imports of the command, because a bundler does not check whether an external module exports the imported names. */
async function checkParts() {
  const command = readFileSync("dist/bin/asi.cjs", "utf8");
  for (const module of PARTS) {
    const parts = await import(new URL(`../dist/${module}.cjs`, import.meta.url).href);
    for (const [, name] of command.matchAll(new RegExp(`\\bimport_${module}\\d*\\.([\\w$]+)`, "g")))
      if (!(name in parts.default))
        throw new Error(`the command needs ${name}, which no part of the library has`);
  }
}

/** Writes the compiled cores as files, with the type of their import. */
function addCores() {
  copyFileSync("build/core-simd.wasm", "dist/core.wasm");
  copyFileSync("build/core-scalar.wasm", "dist/core-scalar.wasm");
  writeFileSync(
    "dist/wasm-module.d.ts",
    'import type { CompiledModule } from "./index.js";\ndeclare const module: CompiledModule;\nexport default module;\n',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  addCores();
  for (const name of readdirSync("dist")) if (name.endsWith(".js")) shortenNames(`dist/${name}`, SMALL);
  shortenNames("dist/bin/asi.cjs", SMALL);
  await addCommonJs();
  await checkParts();
  for (const name of ["bin/asi.cjs", ...readdirSync("dist").filter((name) => name.endsWith(".cjs"))])
    shortenImports(`dist/${name}`);
  // the built command writes it
  writeFileSync("dist/asi.1", execFileSync(process.execPath, ["dist/bin/asi.cjs", "man-page"]));
}
