/** What dependencies might do on the side is disabled. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const manifest = (folder: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, folder, "package.json"), "utf8"));

describe("telemetry", () => {
  // It reports installations, by an install script that reads this setting of the package that is installed.
  it.each(["../..", ".."])("of @scarf/scarf is off in %s", (folder) => {
    expect(manifest(folder).scarfSettings).toEqual({ enabled: false });
  });
});
