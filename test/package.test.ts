/** Tests content and use of the published package. Bundles of it: package-bundles.test.ts; its types: package-types.test.ts. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMAT_NAMES } from "../src/formats/catalogue.js";
import { fixture } from "./fixture-files.js";
import { isLongForm } from "./long-form.js";
import { installPacked, type PackedPackage, repository } from "./scratch-package.js";

const golden = fixture("damaged/torn-frames");

let scratch: PackedPackage;

beforeAll(() => {
  scratch = installPacked(isLongForm);
  copyFileSync(join(repository, "fixtures/damaged/torn-frames.asi"), join(scratch.folder, "input.asi"));
}, 240_000);

afterAll(() => {
  scratch?.remove();
});

/** Writes a file to the scratch folder and runs it there. */
function run(file: string, source: string): { stdout: string; stderr: string; status: number | null } {
  writeFileSync(join(scratch.folder, file), source);
  return spawnSync(process.execPath, [file], { cwd: scratch.folder, encoding: "utf8" });
}

describe("the manifest", () => {
  const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    sideEffects: boolean;
    [field: string]: unknown;
  };

  it("has one dependency, which is installed with the package", () => {
    expect(Object.keys(manifest.dependencies)).toEqual(["fast-csv"]);
    for (const kind of ["peerDependencies", "optionalDependencies", "bundleDependencies"]) {
      expect(manifest[kind]).toBeUndefined();
    }
  });

  it("has no script that npm runs, or warns about, at installation", () => {
    const { scripts } = JSON.parse(readFileSync(join(scratch.installed, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const onInstall = Object.keys(scripts).filter((name) =>
      /^(pre|post)?(install|prepare)$|^prepublish$/.test(name),
    );
    expect(onInstall).toEqual([]);
  });

  it("passes the checks of publint", async () => {
    const { messages } = await publint({ pkgDir: scratch.installed, strict: true, pack: false });
    // Suggestions, such as the replacement of `browser` by `imports`, are not errors.
    const faults = messages.filter(({ type }) => type !== "suggestion");
    expect(faults.map(({ code, path }) => ({ code, path }))).toEqual([]);
  });
});

describe("the packed files", () => {
  it("are only the build, the README and the licences", () => {
    const others = scratch.files.filter((path) => !path.startsWith("dist/")).sort();
    expect(others).toEqual([
      "LICENSE",
      "README.md",
      "bin/asi.cjs",
      "licences/assemblyscript-loader.txt",
      "package.json",
    ]);
  });

  it("include everything that the manifest refers to", () => {
    const entries = ["index", "metrics", "node", "packed"].flatMap((name) =>
      [".js", ".cjs", ".d.ts", ".d.cts"].map((end) => name + end),
    );
    const cores = ["core.wasm", "core-scalar.wasm", "wasm-module.d.ts"];
    for (const entry of [...entries, ...cores, "bin/asi.cjs"])
      expect(scratch.files).toContain(`dist/${entry}`);
  });

  it("are less than 700 kB packed, without source maps, but with function names and lines of at most about 1,000 characters for stack traces", () => {
    expect(scratch.packedBytes).toBeLessThan(700_000);
    const maps = scratch.files.filter(
      (path) =>
        path.endsWith(".map") ||
        (/\.[cm]?js$/.test(path) &&
          readFileSync(join(scratch.installed, path), "utf8").includes("//# sourceMappingURL=")),
    );
    expect(maps).toEqual([]);
    const command = readFileSync(join(scratch.installed, "dist/bin/asi.cjs"), "utf8");
    expect(command.includes("function main(")).toBe(true);
    // except for texts, which are not divided
    expect(command.split("\n").filter((line) => line.length > 1_000).length).toBeLessThan(10);
  });

  it("do not contain the path of the build", () => {
    for (const path of scratch.files) {
      const content = readFileSync(join(scratch.installed, path), "utf8");
      expect(content.includes(repository), path).toBe(false);
    }
  });
});

const body = `
const bytes = readFileSync("input.asi");
const { body: csv, fileName, report } = convert(bytes);
let text = "";
for await (const piece of csv) text += new TextDecoder().decode(piece);
let rows = 0;
for await (const row of decodeRows(readFileChunks("input.asi"), { engine: "plain" })) rows += 1;
let pieces = "";
for await (const piece of convert(bytes, { delimiter: ";", columns: ["hr"] }).body) pieces += piece.length;
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

const names = "AsiError, convert, decodeRows, inspect";

describe("the installed package", () => {
  it("is imported as an ES module", () => {
    const { stdout, stderr } = run(
      "consumer.mjs",
      `import { readFileSync } from "node:fs";
import { ${names} } from "asi-convert";
import { encodeCsv, readFileChunks } from "asi-convert/node";
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
const { encodeCsv, readFileChunks } = require("asi-convert/node");
(async () => {${body}})();`,
    );
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it("has the same names in both module formats of each entry, and only ES modules for the squad", () => {
    const { exports } = JSON.parse(readFileSync(join(scratch.installed, "package.json"), "utf8")) as {
      exports: Record<string, { require?: object }>;
    };
    const entries = Object.keys(exports).filter((path) => !/\.(wasm|json)$/.test(path));
    expect(entries.filter((path) => exports[path]?.require === undefined)).toEqual([
      "./squad",
      "./squad-report",
      "./squad-sheets",
    ]);
    const { stdout, stderr } = run(
      "entries.mjs",
      `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const named = (module) => Object.keys(module).filter((name) => !/^(default|module.exports|__esModule)$/.test(name));
const told = {};
for (const path of ${JSON.stringify(entries)}) {
  const entry = "asi-convert" + path.slice(1);
  told[path] = [named(require(entry)).sort(), named(await import(entry)).sort()];
}
console.log(JSON.stringify(told));`,
    );
    expect(stderr).toBe("");
    const told = JSON.parse(stdout) as Record<string, [string[], string[]]>;
    for (const [path, [required, imported]] of Object.entries(told)) {
      expect(required.length, path).toBeGreaterThan(0);
      expect(required, path).toEqual(imported);
    }
  });

  it("writes each format as CommonJS", () => {
    const { stdout, stderr } = run(
      "formats.cjs",
      `const { readFileSync } = require("node:fs");
const { convert } = require("asi-convert");
(async () => {
  const told = {};
  for (const format of ${JSON.stringify(FORMAT_NAMES)}) {
    told[format] = 0;
    for await (const piece of convert(readFileSync("input.asi"), { format }).body) told[format] += piece.length;
  }
  console.log(JSON.stringify(told));
})();`,
    );
    expect(stderr).toBe("");
    const sizes = JSON.parse(stdout) as Record<string, number>;
    for (const format of FORMAT_NAMES) expect(sizes[format], format).toBeGreaterThan(0);
  });

  it.for([
    ["simd", "core.wasm"],
    ["scalar", "core-scalar.wasm"],
  ])("reads with the core of a file: %s", ([engine, file]) => {
    const { stdout, stderr } = run(
      "core.mjs",
      `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initialize, inspectSync } from "asi-convert";
const path = createRequire(import.meta.url).resolve("asi-convert/${file}");
const told = await initialize({ module: new WebAssembly.Module(readFileSync(path)) });
console.log(told, inspectSync(readFileSync("input.asi")).engine);`,
    );
    expect(stderr).toBe("");
    expect(stdout).toBe(`${engine} ${engine}\n`);
  });

  it("computes the figures of its command, packs rows, and writes reports", () => {
    const { stdout, stderr } = run(
      "figures.mjs",
      `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { decodeSync } from "asi-convert";
import { computeMetrics } from "asi-convert/metrics";
import { fromBase64, packSamples, toBase64, unpackSamples } from "asi-convert/packed";
const { samples } = decodeSync(readFileSync("input.asi"));
const unpacked = unpackSamples(fromBase64(toBase64(packSamples(samples))));
const required = createRequire(import.meta.url)("asi-convert/metrics");
console.log(JSON.stringify([samples, unpacked].map((rows) => computeMetrics(rows))));
console.log(JSON.stringify(required.computeMetrics(samples)));`,
    );
    expect(stderr).toBe("");
    const asi = (...args: string[]) =>
      spawnSync(process.execPath, [join(scratch.installed, "dist/bin/asi.cjs"), ...args], {
        cwd: scratch.folder,
        encoding: "utf8",
      });
    const { metrics } = JSON.parse(asi("stats", "input.asi", "--json").stdout);
    expect(metrics.total_distance).toBeGreaterThan(400);
    const [imported = "", required = ""] = stdout.split("\n");
    expect(JSON.parse(imported)).toEqual([metrics, metrics]);
    expect(JSON.parse(required)).toEqual(metrics);
    const report = asi("report", "input.asi", "-o", "-");
    expect(report.stdout).toContain('<script type="application/json" id="asi-recording">{"version":1,');
    // success with a damaged input
    expect(report.status).toBe(3);
  });

  it("does not export its internal files", () => {
    const { stderr, status } = run("inner.mjs", `import "asi-convert/dist/index.js";`);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });

  it("provides the command asi", () => {
    const command = join(scratch.installed, "bin/asi.cjs");
    const { stdout, status } = spawnSync(process.execPath, [command, "convert", "input.asi", "-o", "-"], {
      cwd: scratch.folder,
      encoding: "utf8",
    });
    expect(stdout).toBe(golden.csv);
    // success with a damaged input
    expect(status).toBe(3);
    const link = join(scratch.folder, "node_modules/.bin/asi");
    if (existsSync(link)) expect(readFileSync(link, "utf8")).toMatch(/^#!\/usr\/bin\/env node/);
  });
});
