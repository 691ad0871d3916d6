/** Tests bundles of the published package: their content, and the environments in which they run. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { type BuildResult, build, type Metafile, stop } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture } from "./fixture-files.js";
import { installBuilt, type ScratchPackage } from "./scratch-package.js";

const golden = fixture("damaged/torn-frames");

let scratch: ScratchPackage;

beforeAll(() => {
  scratch = installBuilt();
});

afterAll(async () => {
  scratch?.remove();
  await stop();
});

/** Inputs that do not belong in a browser bundle: packages other than the loader of the core, and remaining imports. */
function foreignInputs({ inputs, outputs }: Metafile): string[] {
  const imported = Object.values(outputs)
    .flatMap((output) => output.imports.map(({ path }) => path))
    .filter((path) => !(path in outputs));
  const isOurs = (path: string) => !path.includes("node_modules") || /node_modules.asi-convert/.test(path);
  return [...Object.keys(inputs).filter((path) => !isOurs(path)), ...imported];
}

/** The bundle's entry and its static imports, which are loaded first. */
function loadedAtOnce(
  { outputFiles = [], metafile }: BuildResult<{ metafile: true }>,
  folder: string,
): Buffer {
  const { outputs } = metafile;
  // modules that are imported on demand are entries too
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === "<stdin>");
  const needed = new Set(entry === undefined ? [] : [entry]);
  for (const path of needed) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") needed.add(imported);
    }
  }
  const contents = outputFiles.filter(({ path }) => needed.has(relative(folder, path)));
  expect(contents.length).toBe(needed.size);
  return Buffer.concat(contents.map((file) => file.contents));
}

describe("bundled for a browser", () => {
  let bundle: BuildResult<{ metafile: true; write: false }>;
  let code: string;

  beforeAll(async () => {
    writeFileSync(
      join(scratch.folder, "browser.js"),
      `import { convert, decodeRows, initialize, inspect, AsiCsvStream } from "asi-convert";
globalThis.initialize = initialize;
globalThis.run = async (base64, options) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const { body: csv, fileName, report, engine } = convert(bytes, options);
  // awaited before anything is read
  report.catch(() => {});
  const reader = csv.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += decoder.decode(piece.value);
  let rows = 0;
  for await (const row of decodeRows([bytes])) rows += 1;
  const same = (await inspect([bytes])).report.rows.total === rows && typeof AsiCsvStream === "function";
  return JSON.stringify({ text, fileName: await fileName, report: await report, rows, same, engine: await engine });
};`,
    );
    bundle = await build({
      absWorkingDir: scratch.folder,
      entryPoints: ["browser.js"],
      bundle: true,
      platform: "browser",
      format: "iife",
      metafile: true,
      write: false,
      logLevel: "silent",
    });
    code = bundle.outputFiles[0]?.text ?? "";
  });

  it("it has no warnings, no Node.js modules and no fast-csv", () => {
    expect(bundle.warnings).toEqual([]);
    expect(bundle.errors).toEqual([]);
    expect(foreignInputs(bundle.metafile)).toEqual([]);
    expect(code).not.toMatch(/["']node:/);
    expect(code).not.toMatch(/\bBuffer\b/);
    expect(code).not.toMatch(/\bprocess\./);
  });

  /** A global object with the features that browsers and Node.js share, and without those of Node.js. */
  function browserLike(without: readonly string[] = [], mayCompile = true, others: object = {}) {
    const shared = {
      ReadableStream,
      WritableStream,
      TransformStream,
      TextEncoder,
      TextDecoder,
      atob,
      AbortController,
    };
    // as under a content security policy without 'wasm-unsafe-eval', or on an edge platform
    const codeGeneration = { strings: mayCompile, wasm: mayCompile };
    const context = createContext({ ...shared, ...others, Blob }, { codeGeneration });
    for (const name of without) runInContext(`delete globalThis.${name}`, context);
    runInContext(code, context);
    return context as {
      run(base64: string, options?: object): Promise<string>;
      initialize(options: { module: unknown }): Promise<string>;
    };
  }

  const base64 = Buffer.from(golden.bytes).toString("base64");
  const { fileName, report } = golden.expectation;
  const all = { text: golden.csv, fileName, report, rows: report?.rows.total, same: true };

  it("it converts without the globals of Node.js", async () => {
    expect(JSON.parse(await browserLike().run(base64))).toEqual({ ...all, engine: "simd" });
    expect(JSON.parse(await browserLike().run(base64, { engine: "plain" }))).toEqual({
      ...all,
      engine: "plain",
    });
  });

  it("it converts where functions of Node.js exist but throw, as in the edge runtime of Next.js", async () => {
    const forbidden = () => {
      throw new Error("A Node.js API is used, which is not supported.");
    };
    const page = browserLike([], true, {
      setImmediate: forbidden,
      process: { uptime: forbidden, once: forbidden, removeListener: forbidden },
      setTimeout,
    });
    expect(JSON.parse(await page.run(base64))).toEqual({ ...all, engine: "simd" });
  });

  it("it converts where WebAssembly is missing", async () => {
    expect(JSON.parse(await browserLike(["WebAssembly"]).run(base64))).toEqual({ ...all, engine: "plain" });
  });

  it("it converts where compilation of WebAssembly is forbidden, in TypeScript alone or with a core passed to initialize", async () => {
    const page = browserLike([], false);
    expect(JSON.parse(await page.run(base64))).toEqual({ ...all, engine: "plain" });
    // compiled in another realm
    const module = new WebAssembly.Module(readFileSync(join(scratch.installed, "dist/core.wasm")));
    expect(await page.initialize({ module })).toBe("simd");
    expect(JSON.parse(await page.run(base64))).toEqual({ ...all, engine: "simd" });
  });

  it("it writes other layouts", async () => {
    const written = JSON.parse(await browserLike().run(base64, { delimiter: ";" })) as { text: string };
    expect(written.text).toBe(golden.csv?.replaceAll(",", ";"));
  });
});

describe("a bundle of convert alone", () => {
  const bundled = (contents: string, platform: "neutral" | "browser" | "node") =>
    build({
      absWorkingDir: scratch.folder,
      stdin: { contents, resolveDir: scratch.folder },
      bundle: true,
      minify: true,
      platform,
      format: "esm",
      metafile: true,
      write: false,
      splitting: true,
      outdir: "out",
      logLevel: "silent",
    });

  it("is smaller than 45 kB compressed, and contains no unused code", async () => {
    const source = 'import { convert } from "asi-convert"; globalThis.convert = convert;';
    const bundle = await bundled(source, "neutral");
    expect(bundle.warnings).toEqual([]);
    expect(foreignInputs(bundle.metafile)).toEqual([]);
    const bytes = loadedAtOnce(bundle, scratch.folder);
    expect(gzipSync(bytes, { level: 9 }).length).toBeLessThan(45_000);
  });

  it.for(["neutral", "browser", "node"] as const)(
    "contains no unused code with all exports: platform %s",
    async (platform) => {
      const { metafile, warnings } = await bundled('export * from "asi-convert";', platform);
      expect(warnings).toEqual([]);
      expect(foreignInputs(metafile)).toEqual([]);
    },
  );
});
