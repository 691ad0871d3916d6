import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FORMAT_NAMES } from "asi-convert";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyVerb } from "./every-verb.js";
import { fixturePath } from "./fixtures.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";

declare global {
  /** The bundle of every-verb.ts. */
  var library: typeof import("./every-verb.js");
}

const base64 = (name: string) => readFileSync(fixturePath(name)).toString("base64");

describe.skipIf(hasNoBrowser)("the library in Chromium", () => {
  useBrowser();
  let folder: string;
  let at: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "asi-library-"));
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL("every-verb.ts", import.meta.url))],
      bundle: true,
      platform: "browser",
      format: "iife",
      globalName: "library",
      write: false,
      logLevel: "error",
    });
    writeFileSync(join(folder, "library.js"), outputFiles[0]?.contents ?? "");
    writeFileSync(
      join(folder, "index.html"),
      '<meta charset="utf-8"><main>asi-convert</main><script src="library.js"></script>',
    );
    at = pathToFileURL(join(folder, "index.html")).href;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("writes every format, identical to the stored file beside the recording", async () => {
    const page = await openPage({ at });
    const files = await page.evaluate(
      (recording) => library.everyFormat(recording),
      base64("valid/edges.asi"),
    );
    for (const format of FORMAT_NAMES) expect(files[format], format).toBe(base64(`valid/edges.${format}`));
  });

  it("returns the same rows, beats, waveforms, tracks, figures and recordings as in Node.js", async () => {
    const page = await openPage({ at });
    const recording = base64("waveform/run.asi");
    const inBrowser = await page.evaluate((bytes) => library.everyVerb(bytes), recording);
    expect(JSON.parse(inBrowser)).toEqual(JSON.parse(await everyVerb(recording)));
    const { beats, inspection } = JSON.parse(inBrowser);
    expect(beats.length).toBeGreaterThan(0);
    expect(inspection.engine).toBe("simd");
  });
});
