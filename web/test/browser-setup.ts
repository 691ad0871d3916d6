import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { PathProxy } from "../../server/test/path-proxy.js";
import { findBrowser, NO_BROWSER } from "./find-browser.js";
import { BUILT, servePage } from "./serve.js";
import { BuiltService } from "./service.js";

declare module "vitest" {
  interface ProvidedContext {
    pageAddress: string;
    /** The folder for the temporary files of the browsers. Browsers end a moment after the workers that started them. */
    browserFolder: string;
    /** The browser, or null if there is none. No test then needs the service. */
    service: { address: string; dataDir: string; publicAddress: string } | null;
  }
}

/** The limits are high, because tests send many requests from one address within seconds. */
const SETTINGS = {
  THROTTLE_ADDRESS_PER_MINUTE: "1000000",
  THROTTLE_FILES_PER_MINUTE: "1000000",
  THROTTLE_REGISTRATIONS_PER_HOUR: "1000000",
  THROTTLE_TOKENS_PER_MINUTE: "1000000",
  WEBHOOK_ALLOW_PRIVATE: "true",
};

/** Starts one web server and one service for all tests. A proxy precedes the service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(join(BUILT, "index.html"))) {
    throw new Error("The page is not built: run npm run build -w asi-web.");
  }
  const browser = findBrowser();
  if (browser === null) {
    if (process.env.CI) throw new Error(NO_BROWSER);
    console.warn(`${NO_BROWSER} Tests in the browser are skipped.`);
  }
  const served = await servePage();
  // clients may reach the service under a path, and its addresses must contain that path
  const proxy = await PathProxy.start("/tracking");
  const service = browser === null ? null : new BuiltService({ ...SETTINGS, BASE_URL: proxy.address });
  await service?.start();
  if (service !== null) proxy.target = service.address.replace(/\/$/, "");
  const browserFolder = mkdtempSync(join(tmpdir(), "asi-web-browsers-"));
  project.provide("browserFolder", browserFolder);
  project.provide("pageAddress", served.address);
  const publicAddress = proxy.address;
  project.provide(
    "service",
    service && { address: service.address, dataDir: service.dataDir, publicAddress },
  );
  return async () => {
    await service?.stop();
    await proxy.stop();
    await served.close();
    rmSync(browserFolder, { recursive: true, force: true, maxRetries: 10 });
  };
}
