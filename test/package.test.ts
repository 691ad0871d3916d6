import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { type BuildResult, build, type Metafile } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture } from "./fixture-files.js";
import { installPacked, repository, type ScratchPackage } from "./scratch-package.js";

const golden = fixture("damaged/torn-frames");

let scratch: ScratchPackage;

beforeAll(() => {
  scratch = installPacked();
  copyFileSync(join(repository, "fixtures/damaged/torn-frames.asi"), join(scratch.folder, "input.asi"));
}, 240_000);

afterAll(() => {
  scratch?.remove();
});

/** Writes a file into the scratch folder and runs it there. */
function run(file: string, source: string): { stdout: string; stderr: string; status: number | null } {
  writeFileSync(join(scratch.folder, file), source);
  return spawnSync(process.execPath, [file], { cwd: scratch.folder, encoding: "utf8" });
}

describe("the manifest", () => {
  const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    scripts: Record<string, string>;
    sideEffects: boolean;
    [field: string]: unknown;
  };

  it("names two dependencies, which people get when they import the package", () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(["@assemblyscript/loader", "fast-csv"]);
    for (const kind of ["peerDependencies", "optionalDependencies", "bundleDependencies"]) {
      expect(manifest[kind]).toBeUndefined();
    }
  });

  it("needs no script to run on installing", () => {
    for (const script of ["preinstall", "install", "postinstall"])
      expect(manifest.scripts[script]).toBeUndefined();
  });

  it("is clean by the rules of publint", async () => {
    const { messages } = await publint({ pkgDir: scratch.installed, strict: true, pack: false });
    // Suggestions are no faults: it would have `imports` in the place of `browser`.
    const faults = messages.filter(({ type }) => type !== "suggestion");
    expect(faults.map(({ code, path }) => ({ code, path }))).toEqual([]);
  });
});

describe("the packed files", () => {
  it("are the build and the documents, nothing else", () => {
    const others = scratch.files.filter((path) => !path.startsWith("dist/")).sort();
    expect(others).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "docs/recording-format.md",
      "package.json",
    ]);
  });

  it("are all that the manifest points to", () => {
    const entries = ["index", "node"].flatMap((name) =>
      [".js", ".cjs", ".d.ts", ".d.cts"].map((end) => name + end),
    );
    for (const entry of [...entries, "bin/asi.cjs"]) expect(scratch.files).toContain(`dist/${entry}`);
  });

  it("do not tell where they were built", () => {
    for (const path of scratch.files) {
      const content = readFileSync(join(scratch.installed, path), "utf8");
      expect(content.includes(repository), path).toBe(false);
    }
  });
});

const body = `
const bytes = readFileSync("input.asi");
const { csv, fileName, report } = convert(bytes);
let text = "";
for await (const piece of csv) text += new TextDecoder().decode(piece);
let rows = 0;
for await (const row of decodeRows(readFileChunks("input.asi"), { engine: "plain" })) rows += 1;
let pieces = "";
for await (const piece of convert(bytes, { delimiter: ";", columns: ["hr"] }).csv) pieces += piece.length;
const inspection = await inspect(new Blob([bytes]));
const encoded = encodeCsv(new TextEncoder().encode(text), { serial: "AGAIN" });
const again = (await inspect(encoded)).report.rows.total;
const refusal = await inspect(new Uint8Array(5)).catch((error) => [error instanceof AsiError, error.code]);
console.log(JSON.stringify({ text, fileName: await fileName, report: await report, rows, again, refusal,
  same: JSON.stringify(inspection.report) === JSON.stringify(await report) }));
`;

const expected = {
  text: golden.csv,
  fileName: golden.expectation.fileName,
  report: golden.expectation.report,
  rows: golden.expectation.report?.rows.total,
  again: golden.expectation.report?.rows.total,
  refusal: [true, "NOT_A_RECORDING"],
  same: true,
};

const names = "AsiError, convert, decodeRows, encodeCsv, inspect";

describe("the installed package", () => {
  it("is imported as an ES module", () => {
    const { stdout, stderr } = run(
      "consumer.mjs",
      `import { readFileSync } from "node:fs";
import { ${names} } from "asi-convert";
import { readFileChunks } from "asi-convert/node";
${body}`,
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it("is required as CommonJS", () => {
    const { stdout, stderr } = run(
      "consumer.cjs",
      `const { readFileSync } = require("node:fs");
const { ${names} } = require("asi-convert");
const { readFileChunks } = require("asi-convert/node");
(async () => {${body}})();`,
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it("does not let its inner files be imported", () => {
    const { stderr, status } = run("inner.mjs", `import "asi-convert/dist/index.js";`);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });

  it("brings the command asi", () => {
    const command = join(scratch.installed, "dist/bin/asi.cjs");
    const { stdout, status } = spawnSync(process.execPath, [command, "convert", "input.asi", "-o", "-"], {
      cwd: scratch.folder,
      encoding: "utf8",
    });
    expect(stdout).toBe(golden.csv);
    // done, with damage
    expect(status).toBe(3);
    const link = join(scratch.folder, "node_modules/.bin/asi");
    if (existsSync(link)) expect(readFileSync(link, "utf8")).toMatch(/^#!\/usr\/bin\/env node/);
  });
});

describe("the types", () => {
  const consumer = `
import { type AsiErrorCode, AsiError, AsiCsvStream, convert, decode, decodeRows, encode, findRanges, inspect, repair,
  type Range, type Report, type Row, type SampleBatch } from "asi-convert";
import { convertFile } from "asi-convert/node";

export async function use(bytes: Uint8Array, blob: Blob): Promise<string> {
  const { csv, fileName, report } = convert(blob, { columns: ["timestamp", "hr"], delimiter: ";", fillHrMs: 2000 });
  const stream: ReadableStream<Uint8Array> = csv;
  const account: Report = await report;
  for await (const batch of decode(bytes, { engine: "scalar" })) {
    const one: SampleBatch = batch;
    const times: Float64Array = one.timestampMs;
    void times;
  }
  const rows: Row[] = [];
  for await (const row of decodeRows(blob.stream())) rows.push(row);
  const ranges: Range[] = findRanges(rows.map((row) => row.timestamp));
  const altitude: number | null | undefined = rows[0]?.altitude;
  const piped: ReadableStream<Uint8Array> = blob.stream().pipeThrough(new AsiCsvStream());
  const recording: ReadableStream<Uint8Array> = encode(rows, { serial: "A" });
  const { info } = await inspect(recording);
  try {
    await convertFile("x.asi", { outDir: ".", onProgress: (read: number, total: number) => void (read / total) });
  } catch (error) {
    if (error instanceof AsiError) {
      const code: AsiErrorCode = error.code;
      const at: number | undefined = error.byteOffset;
      void [code, at];
    }
  }
  // @ts-expect-error there is no such column
  convert(bytes, { columns: ["pulse"] });
  // @ts-expect-error a path is no source
  decode("x.asi");
  void [stream, ranges, altitude, piped, repair(bytes).recording, account.bytes.total];
  return (await fileName) + info.serial;
}
`;

  it.for<[string, string, Record<string, string>]>([
    ["as an ES module of Node.js", "consumer.mts", { module: "node16", moduleResolution: "node16" }],
    ["as a CommonJS module of Node.js", "consumer.cts", { module: "node16", moduleResolution: "node16" }],
    ["for a bundler", "consumer.ts", { module: "esnext", moduleResolution: "bundler" }],
  ])("fit, without those of Node.js: %s", ([, file, options]) => {
    writeFileSync(join(scratch.folder, file), consumer);
    const tsconfig = {
      compilerOptions: {
        ...options,
        target: "es2022",
        lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      },
      files: [file],
    };
    writeFileSync(join(scratch.folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const compiler = join(repository, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.json"], {
      cwd: scratch.folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});

describe("bundled for a browser", () => {
  let bundle: BuildResult<{ metafile: true; write: false }>;
  let code: string;

  beforeAll(async () => {
    writeFileSync(
      join(scratch.folder, "browser.js"),
      `import { convert, decodeRows, encodeCsv, inspect, AsiCsvStream } from "asi-convert";
globalThis.run = async (base64, options) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const { csv, fileName, report } = convert(bytes, options);
  const reader = csv.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += decoder.decode(piece.value);
  let rows = 0;
  for await (const row of decodeRows([bytes], options)) rows += 1;
  const same = (await inspect([bytes])).report.rows.total === rows && typeof AsiCsvStream === "function";
  return JSON.stringify({ text, fileName: await fileName, report: await report, rows, same });
};
globalThis.codeOfEncodeCsv = async () => {
  const csv = new TextEncoder().encode("timestamp,latitude,longitude,speed\\n1,0,0,0\\n");
  const reader = encodeCsv([csv], { serial: "X" }).getReader();
  try {
    while (!(await reader.read()).done);
    return "none";
  } catch (error) {
    return error.code;
  }
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

  it("it needs no warning, no Node.js module and no fast-csv", () => {
    expect(bundle.warnings).toEqual([]);
    expect(bundle.errors).toEqual([]);
    const inputs = Object.keys((bundle.metafile as Metafile).inputs);
    // what package.json replaces by nothing is listed as disabled
    const loaded = inputs.filter((path) => !path.startsWith("(disabled)"));
    expect(loaded.filter((path) => path.includes("fast-csv"))).toEqual([]);
    expect(loaded.filter((path) => path.includes("commander"))).toEqual([]);
    expect(code).not.toMatch(/["']node:/);
    expect(code).not.toMatch(/\bBuffer\b/);
    expect(code).not.toMatch(/\bprocess\./);
  });

  /** A global object with what browsers and Node.js share, and nothing of Node.js. */
  function browserLike(without: readonly string[] = []) {
    const shared = {
      ReadableStream,
      WritableStream,
      TransformStream,
      TextEncoder,
      TextDecoder,
      atob,
      AbortController,
    };
    const context = createContext({ ...shared, Blob });
    for (const name of without) runInContext(`delete globalThis.${name}`, context);
    runInContext(code, context);
    return context as {
      run(base64: string, options?: object): Promise<string>;
      codeOfEncodeCsv(): Promise<string>;
    };
  }

  const base64 = Buffer.from(golden.bytes).toString("base64");
  const { text, fileName, report, rows, same } = expected;

  it("it converts where there is nothing of Node.js", async () => {
    expect(JSON.parse(await browserLike().run(base64))).toEqual({ text, fileName, report, rows, same });
    expect(JSON.parse(await browserLike().run(base64, { engine: "scalar" }))).toMatchObject({ text });
  });

  it("it converts where WebAssembly is missing", async () => {
    expect(JSON.parse(await browserLike(["WebAssembly"]).run(base64))).toEqual({
      text,
      fileName,
      report,
      rows,
      same,
    });
  });

  it("it writes other layouts too", async () => {
    const written = JSON.parse(await browserLike().run(base64, { delimiter: ";" })) as { text: string };
    expect(written.text).toBe(text?.replaceAll(",", ";"));
  });

  it("it says that reading CSV needs Node.js", async () => {
    expect(await browserLike().codeOfEncodeCsv()).toBe("NEEDS_NODE");
  });
});
