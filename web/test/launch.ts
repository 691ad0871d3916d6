import { type BrowserServer, chromium, type LaunchOptions } from "playwright-core";
import type { Browser } from "./find-browser.js";

/** Our own flags: those of the package from npm switch off what pages rely on for safety. */
const ARGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

/**
 * V8 compiles on the threads of the page, not beside them. With four cores or fewer, Chromium's renderer has three pool
 * threads. When V8's compilers hold all three and wait for a garbage collection of the main thread, and the main thread
 * waits in layout for the pool to ask for a font, they wait for each other for good (seen in a trace of Chromium 147).
 */
const COMPILE_IN_PLACE = "--js-flags=--no-concurrent-recompilation --no-concurrent-sparkplug";

/** A browser that compiles as that of a user does, for measurements. */
export function launchOptions({ path, env }: Browser): LaunchOptions {
  return { executablePath: path, args: ARGS, env: { ...(process.env as Record<string, string>), ...env } };
}

/** A browser in which that deadlock cannot occur, for tests and pictures. */
export function steadyLaunchOptions(browser: Browser): LaunchOptions {
  return { ...launchOptions(browser), args: [...ARGS, COMPILE_IN_PLACE] };
}

export function launchBrowser(browser: Browser): Promise<BrowserServer> {
  return chromium.launchServer(steadyLaunchOptions(browser));
}
