/** Tests that unwanted side effects of dependencies are disabled. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const manifest = (folder: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, folder, "package.json"), "utf8"));

describe("usage telemetry", () => {
  // The install script of @scarf/scarf reports installations unless this setting is in the package.json of the installed package.
  it.each(["../..", ".."])("is disabled for @scarf/scarf in %s", (folder) => {
    expect(manifest(folder).scarfSettings).toEqual({ enabled: false });
  });
});
