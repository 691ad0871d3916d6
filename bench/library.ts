import { existsSync } from "node:fs";

/**
 * Loads the built package, as users do.
 * @throws Error if it is not built
 */
export async function loadLibrary(): Promise<typeof import("../src/index.js")> {
  const built = new URL("../dist/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("The package is not built: run `npm run build` first.");
  return await import(built.href);
}
