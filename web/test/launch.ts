import { type BrowserServer, chromium, type LaunchOptions } from "playwright-core";
import type { Browser } from "./find-browser.js";

/** Our own flags: those of the package from npm switch off what pages rely on for safety. */
const ARGS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

export function launchOptions({ path, env }: Browser): LaunchOptions {
  return { executablePath: path, args: ARGS, env: { ...(process.env as Record<string, string>), ...env } };
}

export function launchBrowser(browser: Browser): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions(browser));
}
