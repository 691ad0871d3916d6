// Creates a folder from which the service can be installed without this repository. It contains the packed library and service, and
// a package.json with a lock file. `npm ci` in a copy of the folder installs exactly the tested versions. Usage, after a
// build:
//   node scripts/release.mjs [folder]      (default: release)
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lockedDependencies } from "./locked-dependencies.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "release"));

for (const built of ["dist/index.js", "server/dist/main.js"]) {
  if (!existsSync(join(root, built))) {
    console.error(`There is no ${built}. Run \`npm run release\`, which builds first.`);
    process.exit(1);
  }
}
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const writeJson = (name, value) => writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const manifest = readJson("package.json");
// without its scripts, because they would build the library again
const library = pack(manifest, "--ignore-scripts");
const service = pack(readJson("server/package.json"), "--workspace", "asi-server");

const release = {
  name: "asi",
  version: manifest.version,
  private: true,
  license: manifest.license,
  dependencies: { "asi-convert": `file:${library.file}`, "asi-server": `file:${service.file}` },
  // npm reads `overrides` and `scarfSettings` only from the package that it installs, not from its dependencies.
  overrides: manifest.overrides,
  scarfSettings: manifest.scarfSettings,
};
const { name, version, license, dependencies } = release;
const packages = {
  "": { name, version, license, dependencies },
  "node_modules/asi-convert": library.entry,
  "node_modules/asi-server": service.entry,
  ...lockedDependencies(readJson("package-lock.json").packages, ["", "server"]),
};
writeJson("package.json", release);
writeJson("package-lock.json", { name, version, lockfileVersion: 3, requires: true, packages });
console.log(`${folder}: run \`npm ci\` in a copy of it`);

/**
 * Packs a package into the folder.
 * @returns the name of the file, and its entry for the lock file
 */
function pack({ name, version, license, dependencies, bin, engines }, ...options) {
  const args = ["pack", "--silent", "--pack-destination", folder, ...options];
  const { status } = spawnSync("npm", args, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm pack of ${name} failed`);
  const file = `${name}-${version}.tgz`;
  const digest = createHash("sha512")
    .update(readFileSync(join(folder, file)))
    .digest("base64");
  const entry = {
    version,
    resolved: `file:${file}`,
    integrity: `sha512-${digest}`,
    license,
    dependencies,
    bin,
    engines,
  };
  return { file, entry };
}
