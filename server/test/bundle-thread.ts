import { join } from "node:path";
import { buildSync } from "esbuild";

declare module "vitest" {
  interface ProvidedContext {
    /** File with the program of the computation threads. */
    computationThread: string;
  }
}

const SOURCE = join(import.meta.dirname, "../src/domain/computed-data/threads/thread.ts");

/** Bundles the program of the computation threads once per run. @returns the file */
export function bundleThread(folder: string): string {
  const outfile = join(folder, "computation-thread.mjs");
  buildSync({
    entryPoints: [SOURCE],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logOverride: { "ignored-bare-import": "silent" },
  });
  return outfile;
}
