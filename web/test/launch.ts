import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import type { Browser as InstalledBrowser } from "./find-browser.js";

/** Explicit flags, because the flags of the package from npm disable security features that pages require. */
const ARGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

/**
 * Prevents V8 from compiling in the thread pool. With few cores, the pool of Chromium's renderer has three threads. A trace of Chromium
 * 147 shows a deadlock. V8's compile jobs occupy all three threads and do not end, probably because they wait for the main thread to
 * collect garbage, while the main thread waits in layout for the pool to ask for a font.
 */
const COMPILE_IN_PLACE = "--js-flags=--no-concurrent-recompilation --no-concurrent-sparkplug";

/** Returns the options of a browser that compiles as usual, for measurements. */
export function launchOptions({ path, env }: InstalledBrowser): LaunchOptions {
  return { executablePath: path, args: ARGS, env: { ...(process.env as Record<string, string>), ...env } };
}

/** Returns the options of a browser in which that deadlock cannot occur, for tests and pictures. */
export function steadyLaunchOptions(browser: InstalledBrowser): LaunchOptions {
  return { ...launchOptions(browser), args: [...ARGS, COMPILE_IN_PLACE] };
}

/** @param folder for its temporary files, some of which it does not delete */
export function launchBrowser(browser: InstalledBrowser, folder: string): Promise<Browser> {
  const options = steadyLaunchOptions(browser);
  return chromium.launch({ ...options, env: { ...options.env, TMPDIR: folder } });
}
