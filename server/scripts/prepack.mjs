// Runs before `npm pack` and `npm publish`: copies the page, if it is built, and the licence to dist/. `undo`, after packing,
// removes them, because a page left in dist/ would be served instead of a newer build.
import { copyFileSync, cpSync, existsSync, rmSync } from "node:fs";

/** @param {string} path */
const fromRoot = (path) => new URL(`../../${path}`, import.meta.url);
const PAGE = fromRoot("server/dist/page");
const LICENCE = fromRoot("server/LICENSE");

rmSync(PAGE, { recursive: true, force: true });
rmSync(LICENCE, { force: true });
if (process.argv[2] !== "undo") {
  if (!existsSync(fromRoot("server/dist/main.js"))) {
    console.error("The service has not been built. Run `npm ci` in the root folder first.");
    process.exit(1);
  }
  if (existsSync(fromRoot("web/dist/index.html"))) cpSync(fromRoot("web/dist"), PAGE, { recursive: true });
  else console.warn("The page has not been built: the package of the service does not contain it.");
  copyFileSync(fromRoot("LICENSE"), LICENCE);
}
