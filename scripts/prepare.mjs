// Builds after `npm ci` and before packing. Skipped where it would build for nothing:
// `npx asi` in a checkout prepares it again, and without development dependencies there are no tools to build with.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";

const isPresent = (path) => existsSync(new URL(`../${path}`, import.meta.url));

if (process.env.npm_command === "exec" && isPresent("dist/bin/asi.cjs")) process.exit(0);
if (!isPresent("node_modules/tsup") || !isPresent("node_modules/assemblyscript")) process.exit(0);

const run = (...args) => {
  const { status } = spawnSync("npm", ["run", "--silent", ...args], { stdio: "inherit", shell: true });
  if (status !== 0) process.exit(status ?? 1);
};

run("build");
linkCommand();
if (isPresent("server/package.json")) run("build", "--workspace", "server");
if (isPresent("client/package.json") && isPresent("node_modules/openapi-typescript"))
  run("build", "--workspace", "client");
if (isPresent("web/package.json") && isPresent("node_modules/vite")) run("build", "--workspace", "web");

// So that `npx asi` runs this build at once. Otherwise npx installs the checkout as a package first, and remembers it.
function linkCommand() {
  if (process.platform === "win32") return;
  const link = new URL("../node_modules/.bin/asi", import.meta.url);
  rmSync(link, { force: true });
  symlinkSync("../../dist/bin/asi.cjs", link);
}
