// Writes the types of a package to dist/, for ES modules and CommonJS: node ../scripts/build-types.mjs name=src/file.ts ...
// The compiler writes them file by file without checking them, because `npm run typecheck` does that; tsup joins them. Otherwise,
// tsup would compile the sources once for each entry, which takes three times as long.
// The types of an ES module refer to those of the CommonJS module, so the package contains them once. This works because an
// ES module may import a CommonJS module.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "tsup";
import typescript from "typescript";

const FOLDER = join("build", "types");
const entries = Object.fromEntries(process.argv.slice(2).map((one) => one.split("=")));

const read = typescript.getParsedCommandLineOfConfigFile(
  "tsconfig.json",
  {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    rootDir: "src",
    outDir: FOLDER,
  },
  { ...typescript.sys, onUnRecoverableConfigFileDiagnostic: (problem) => fail([problem]) },
);
rmSync(FOLDER, { recursive: true, force: true });
const { diagnostics } = typescript.createProgram(Object.values(entries), read.options).emit();
if (diagnostics.length > 0) fail(diagnostics);

const typesOf = (source) => join(FOLDER, relative("src", source)).replace(/\.ts$/, ".d.ts");
for (const [name, source] of Object.entries(entries))
  if (!existsSync(typesOf(source))) throw new Error(`${source} has no types: ${name}`);
await build({
  config: false,
  entry: Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, typesOf(source)])),
  dts: { only: true },
  format: "cjs",
  silent: true,
});
const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
for (const name of Object.keys(entries)) {
  const { require: required } = exports[name === "index" ? "." : `./${name}`];
  if (required === undefined) renameSync(`dist/${name}.d.cts`, `dist/${name}.d.ts`);
  else writeFileSync(`dist/${name}.d.ts`, `export * from "./${name}.cjs";\n`);
}

function fail(diagnostics) {
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => "\n",
  };
  console.error(typescript.formatDiagnostics(diagnostics, host));
  process.exit(1);
}
