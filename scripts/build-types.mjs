// Writes the types of a package to dist/, for ES modules and CommonJS: node ../scripts/build-types.mjs name=src/file.ts ...
// The compiler writes them file by file without checking them, because `npm run typecheck` does that; tsup joins them. Otherwise,
// tsup would compile the sources once for each entry, which takes three times as long.
// The types of an ES module refer to those of the CommonJS module, so the package contains them once. This works because an
// ES module may import a CommonJS module.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

const FOLDER = join("build", "types");
const COMPILER = fileURLToPath(new URL("../node_modules/typescript-native/bin/tsc", import.meta.url));
const entries = Object.fromEntries(process.argv.slice(2).map((one) => one.split("=")));

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
// A command line cannot name both a configuration and files.
const config = join("build", "tsconfig.types.json");
writeFileSync(
  config,
  JSON.stringify({
    extends: "../tsconfig.json",
    include: [],
    files: Object.values(entries).map((path) => join("..", path)),
  }),
);
const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--noCheck"];
execFileSync(process.execPath, [COMPILER, "-p", config, ...options, "--rootDir", "src", "--outDir", FOLDER], {
  stdio: "inherit",
});

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
