import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import type { Browser as InstalledBrowser } from "./find-browser.js";

/** Our own flags: those of the package from npm switch off what pages rely on for safety. */
const ARGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

/**
 * Keeps V8 from compiling in the thread pool. With few cores, the pool of Chromium's renderer has three threads. A trace of Chromium 147
 * shows a deadlock: V8's compile jobs occupy all three and do not end, probably because they wait for the main thread to collect
 * garbage, while the main thread waits in layout for the pool to ask for a font.
 */
const COMPILE_IN_PLACE = "--js-flags=--no-concurrent-recompilation --no-concurrent-sparkplug";

/** A browser that compiles as that of a user does, for measurements. */
export function launchOptions({ path, env }: InstalledBrowser): LaunchOptions {
  return { executablePath: path, args: ARGS, env: { ...(process.env as Record<string, string>), ...env } };
}

/** A browser in which that deadlock cannot occur, for tests and pictures. */
export function steadyLaunchOptions(browser: InstalledBrowser): LaunchOptions {
  return { ...launchOptions(browser), args: [...ARGS, COMPILE_IN_PLACE] };
}

/** A browser that keeps its temporary files, of which it leaves some behind, in a folder. Both go with this process. */
export function launchBrowser(browser: InstalledBrowser): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), "asi-web-browser-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const options = steadyLaunchOptions(browser);
  return chromium.launch({ ...options, env: { ...options.env, TMPDIR: folder } });
}
