// Builds all steps that are out of date, independent steps in parallel. A step is out of date if its inputs or a step before it have
// changed since it last ran, or if something else has changed its outputs. Usage: node scripts/build.mjs [step...]
// Without names, it runs all steps; with names, only these and the steps before them.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runQuietly } from "./run-quietly.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const tool = (path) => join(ROOT, "node_modules", path);
const ASC = [tool("assemblyscript/bin/asc.js"), "assembly/index.ts", "--target"];
const TSUP = [tool("tsup/dist/cli-default.js")];
const TSX = tool("tsx/dist/cli.mjs");
const VITE = [tool("vite/bin/vite.js"), "build"];
const TYPES = join(ROOT, "scripts/build-types.mjs");

/** Inputs of every step. */
const COMMON = ["package-lock.json", "tsconfig.json", "scripts/build.mjs", "scripts/build-types.mjs"];
const isTest = (path) => path.endsWith(".test.ts");
/** Whether a file contains types from the compiler; the type of a core is written beside the core. */
const isType = (path) => /\.d\.c?ts$/.test(path) && path !== "wasm-module.d.ts";
const isReport = (path) => path === "report.html";

/**
 * `after` lists the steps whose outputs the step reads. `commands` are groups of Node.js commands; groups run one after another, the
 * commands of a group in parallel. `outputs` are files, or a folder with a filter for paths. They are removed before the step runs, except
 * files in the repository.
 */
const STEPS = {
  core: {
    name: "the WebAssembly cores",
    after: [],
    inputs: ["assembly", "asconfig.json", "scripts/inline-wasm.mjs"],
    commands: [
      [
        [...ASC, "simd"],
        [...ASC, "scalar"],
      ],
      [["scripts/inline-wasm.mjs"]],
    ],
    outputs: ["build/core-simd.wasm", "build/core-scalar.wasm", "src/engine/wasm/bytes.ts"],
  },
  library: {
    name: "the library and the command asi",
    after: ["core"],
    inputs: [
      ...["src", "bin", "licences", "package.json"],
      ...[
        "tsup.config.ts",
        "scripts/finish-library.mjs",
        "scripts/library-parts.mjs",
        "scripts/shorten-names.mjs",
      ],
    ],
    commands: [[TSUP], [["scripts/finish-library.mjs"]]],
    outputs: [["dist", (path) => !isType(path) && !isReport(path)]],
    onEnd: linkCommand,
  },
  "library-types": {
    name: "the types of the library",
    after: ["core"],
    inputs: ["src"],
    commands: [
      [
        [
          TYPES,
          "csv=src/api/csv.ts",
          "index=src/index.ts",
          "json=src/api/json.ts",
          "metrics=src/metrics/index.ts",
          "node=src/node.ts",
          "packed=src/packed/index.ts",
          "squad=src/squad-report/index.ts",
          "squad-report=src/squad-report/squad-report.ts",
          "squad-sheets=src/squad/sheets.ts",
        ],
      ],
    ],
    outputs: [["dist", isType]],
  },
  report: {
    name: "the template of reports",
    after: ["library"],
    inputs: [
      "web/src",
      "web/report.html",
      "web/vite.report.config.ts",
      "web/package.json",
      "web/tsconfig.json",
    ],
    folder: "web",
    commands: [[[...VITE, "--config", "vite.report.config.ts"]]],
    outputs: [["dist", isReport]],
  },
  service: {
    name: "the service",
    after: ["library"],
    inputs: [
      "server/src",
      "server/docs-page",
      "server/scripts/build-docs-page.ts",
      "server/tsup.config.ts",
      "server/package.json",
      "server/tsconfig.json",
      "web/public/icon.svg",
    ],
    folder: "server",
    commands: [[TSUP]],
    // the output of `npm pack` is not a build output
    outputs: [["server/dist", (path) => !/^page[\\/]/.test(path)]],
  },
  openapi: {
    name: "the description of the API",
    after: ["library"],
    inputs: ["server/src", "server/scripts/write-openapi.ts", "server/package.json"],
    folder: "server",
    commands: [[[TSX, "scripts/write-openapi.ts"]]],
    outputs: ["server/openapi.json"],
    isInRepository: true,
  },
  "client-schema": {
    name: "the types of the API",
    after: ["openapi"],
    inputs: ["client/scripts"],
    folder: "client",
    commands: [[[TSX, "scripts/generate.ts"]]],
    outputs: ["client/src/schema.ts"],
  },
  client: {
    name: "the client",
    after: ["client-schema"],
    inputs: ["client/src", "client/tsup.config.ts", "client/package.json"],
    folder: "client",
    commands: [[TSUP]],
    outputs: [["client/dist", (path) => !isType(path)]],
  },
  "client-types": {
    name: "the types of the client",
    after: ["client-schema"],
    inputs: ["client/src", "client/tsconfig.json"],
    folder: "client",
    commands: [[[TYPES, "index=src/index.ts"]]],
    outputs: [["client/dist", isType]],
  },
  page: {
    name: "the page",
    after: ["library", "client"],
    inputs: [
      "web/src",
      "web/public",
      "web/index.html",
      "web/service-worker.js",
      "web/vite.config.ts",
      "web/package.json",
      "web/tsconfig.json",
    ],
    folder: "web",
    commands: [[VITE]],
    outputs: [["web/dist", () => true]],
  },
};

/** Returns the files at and below a path, which may also be a file or not exist. */
function filesOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

const outputsOf = ({ outputs }) =>
  outputs.flatMap((output) => {
    if (typeof output === "string") return filesOf(join(ROOT, output));
    const [folder, isOutput] = output;
    return filesOf(join(ROOT, folder)).filter((path) => isOutput(relative(join(ROOT, folder), path)));
  });

/** Outputs that are among the sources. The inputs from which they are made are hashed instead. */
const MADE = new Set(
  Object.values(STEPS).flatMap(({ outputs }) =>
    outputs.flatMap((output) => (typeof output === "string" ? [join(ROOT, output)] : [])),
  ),
);

const keys = new Map();

/** Returns a digest of all inputs of a step. */
function keyOf(name) {
  if (!keys.has(name)) {
    const { inputs, after } = STEPS[name];
    const hash = createHash("sha256").update(after.map(keyOf).join());
    const files = [...COMMON, ...inputs].flatMap((input) => filesOf(join(ROOT, input)));
    for (const path of files.filter((file) => !isTest(file) && !MADE.has(file)).sort())
      hash.update(`\n${relative(ROOT, path)}\n`).update(readFileSync(path));
    keys.set(name, hash.digest("hex"));
  }
  return keys.get(name);
}

/** Returns a text that changes when an output is written. */
function stateOf(step) {
  const hash = createHash("sha256");
  for (const path of outputsOf(step).sort()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(ROOT, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

const stampOf = (name) => join(ROOT, "build/stamps", name);

function isCurrent(name) {
  const stamp = stampOf(name);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === `${keyOf(name)} ${stateOf(STEPS[name])}`;
}

/**
 * Runs a step.
 * @returns whether all its commands have succeeded
 */
async function build(name) {
  const step = STEPS[name];
  process.stderr.write(`Building ${step.name}…\n`);
  const key = keyOf(name);
  rmSync(stampOf(name), { force: true });
  if (!step.isInRepository) for (const path of outputsOf(step)) rmSync(path);
  for (const group of step.commands) {
    const cwd = join(ROOT, step.folder ?? "");
    const statuses = await Promise.all(group.map((command) => runQuietly(command, { cwd })));
    if (statuses.some((status) => status !== 0)) return false;
  }
  step.onEnd?.();
  mkdirSync(join(ROOT, "build/stamps"), { recursive: true });
  writeFileSync(stampOf(name), `${key} ${stateOf(step)}`);
  return true;
}

/**
 * Links the command, so that `npx asi` runs this build immediately. Otherwise, npx first installs the checkout as a package and caches it.
 */
function linkCommand() {
  if (process.platform === "win32" || !existsSync(tool(".bin"))) return;
  rmSync(tool(".bin/asi"), { force: true });
  symlinkSync("../../bin/asi.cjs", tool(".bin/asi"));
}

/** Returns whether the development dependencies are installed. */
export const hasTools = () => [ASC[0], TSUP[0], TSX, VITE[0]].every((path) => existsSync(path));

/**
 * Builds steps.
 * @param names the steps to run, together with the steps before them
 * @returns whether everything is built
 */
export async function buildAll(names = Object.keys(STEPS)) {
  const ends = new Map();
  const waiting = [];
  let running = 0;
  const slot = async () => {
    if (running >= Math.max(2, availableParallelism())) await new Promise((resolve) => waiting.push(resolve));
    running += 1;
  };
  const end = (name) => {
    if (!ends.has(name)) ends.set(name, run(name));
    return ends.get(name);
  };
  const run = async (name) => {
    const before = await Promise.all(STEPS[name].after.map(end));
    if (before.includes(false)) return false;
    await slot();
    try {
      return isCurrent(name) || (await build(name));
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
  return (await Promise.all(names.map(end))).every(Boolean);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(STEPS, name));
  if (unknown.length > 0) {
    console.error(`There is no step ${unknown.join(", ")}. The steps are ${Object.keys(STEPS).join(", ")}.`);
    process.exit(2);
  }
  if (!hasTools()) {
    console.error("The tools of the build are not installed. Run `npm ci` first.");
    process.exit(1);
  }
  process.exitCode = (await buildAll(names.length > 0 ? names : undefined)) ? 0 : 1;
}
