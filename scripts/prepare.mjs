// Builds after `npm ci` and before packing. Skipped where it would build for nothing:
// `npx asi` in a checkout prepares it again, and without development dependencies there are no tools to build with.
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { runQuietly } from "./run-quietly.mjs";

const isPresent = (path) => existsSync(new URL(`../${path}`, import.meta.url));

if (process.env.npm_command === "exec" && isPresent("dist/bin/asi.cjs")) process.exit(0);
if (!isPresent("node_modules/tsup") || !isPresent("node_modules/assemblyscript")) process.exit(0);

const build = (what, ...args) => {
  const status = runQuietly(`Building ${what}…`, "npm", ["run", "--silent", ...args]);
  if (status !== 0) process.exit(status);
};

build("the library and the command asi", "build");
linkCommand();
if (isPresent("server/package.json")) build("the service", "build", "--workspace", "server");
if (isPresent("client/package.json") && isPresent("node_modules/openapi-typescript"))
  build("the client", "build", "--workspace", "client");
if (isPresent("web/package.json") && isPresent("node_modules/vite"))
  build("the page", "build:page", "--workspace", "web");

// So that `npx asi` runs this build at once. Otherwise npx installs the checkout as a package first, and remembers it.
function linkCommand() {
  if (process.platform === "win32") return;
  const link = new URL("../node_modules/.bin/asi", import.meta.url);
  rmSync(link, { force: true });
  symlinkSync("../../dist/bin/asi.cjs", link);
}
