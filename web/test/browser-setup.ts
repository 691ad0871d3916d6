import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { findBrowser, NO_BROWSER } from "./find-browser.js";
import { launchBrowser } from "./launch.js";
import { BUILT, servePage } from "./serve.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser listens; null where there is none. */
    browserEndpoint: string | null;
    pageAddress: string;
  }
}

/** One browser and one web server for all tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(join(BUILT, "index.html"))) {
    throw new Error("The page is not built: run npm run build -w asi-web.");
  }
  const browser = findBrowser();
  if (browser === null) {
    if (process.env.CI) throw new Error(NO_BROWSER);
    console.warn(`${NO_BROWSER} Tests in the browser are skipped.`);
  }
  const running = browser === null ? null : await launchBrowser(browser);
  const served = await servePage();
  project.provide("browserEndpoint", running?.wsEndpoint() ?? null);
  project.provide("pageAddress", served.address);
  return async () => {
    await running?.close();
    await served.close();
  };
}
