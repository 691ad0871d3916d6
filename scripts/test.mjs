// Builds what is out of date, and runs the tests of all packages even if one of them fails. The tests of the service and of the page run
// in parallel with the others, because they spend some of their time waiting. Prints a table at the end. Usage:
// node scripts/test.mjs          the tests that contributors need
//   node scripts/test.mjs more     the others: long forms, the second database, other widths and themes
//   node scripts/test.mjs all      both
// With --short, long forms are short or omitted, and the second database runs only the tests that concern a database.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const npm = (...args) => ["npm", ["run", "--silent", ...args]];
/** Lanes that run in parallel. The parts of a lane run one after the other. */
const LANES = {
  "": [
    [["service", ...npm("test", "--workspace", "asi-server")]],
    [["page", ...npm("test", "--workspace", "asi-web")]],
    [
      ["library", ...npm("test:library")],
      ["client", ...npm("test", "--workspace", "asi-client")],
    ],
  ],
  more: [
    [["service, more", ...npm("test:more", "--if-present", "--workspace", "asi-server")]],
    [
      ["page, more", ...npm("test:more", "--workspace", "asi-web")],
      ["library, long form", ...npm("test:long")],
      ["client, more", ...npm("test:more", "--if-present", "--workspace", "asi-client")],
    ],
  ],
};

/** Settings of `--short`: fewer rounds than the defaults of these tests. */
const SHORT = {
  TEST_SHORT: "1",
  ...{ KILL_ROUNDS: "6", WEBHOOK_KILLS: "10", OUTAGE_ROUNDS: "3", PROPERTY_CALLS: "1000", CUT_ROUNDS: "3" },
};

const {
  positionals: [name = ""],
  values: { short: isShort },
} = parseArgs({ allowPositionals: true, options: { short: { type: "boolean", default: false } } });
const stages = name === "all" ? [LANES[""], LANES.more] : [LANES[name]];
if (stages.includes(undefined)) {
  console.error("Usage: node scripts/test.mjs [more|all] [--short]");
  process.exit(2);
}

const env = {
  ...(process.stdout.isTTY && { FORCE_COLOR: "1" }),
  ...process.env,
  ...(isShort && SHORT),
};

/**
 * Runs a part.
 * @returns its row of the table
 */
function run([name, command, args]) {
  const startMs = performance.now();
  const child = spawn(command, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => console.log(`${name} | ${line}`));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) =>
      resolve({ name, seconds: (performance.now() - startMs) / 1000, hasPassed: status === 0 }),
    );
  });
}

async function runLane(parts) {
  const rows = [];
  for (const part of parts) rows.push(await run(part));
  return rows;
}

const startMs = performance.now();
const build = await run(["build", process.execPath, ["scripts/build.mjs"]]);
const rows = [build];
if (build.hasPassed) for (const lanes of stages) rows.push(...(await Promise.all(lanes.map(runLane))).flat());

const line = (name, seconds, result) => `${name.padEnd(20)}${seconds.toFixed(1).padStart(8)} s  ${result}`;
console.log("");
for (const { name, seconds, hasPassed } of rows)
  console.log(line(name, seconds, hasPassed ? "passed" : "FAILED"));
const failed = rows.filter(({ hasPassed }) => !hasPassed);
console.log(
  line(
    "total",
    (performance.now() - startMs) / 1000,
    failed.length === 0 ? "passed" : `FAILED: ${failed.map(({ name }) => name).join(", ")}`,
  ),
);
process.exitCode = failed.length === 0 ? 0 : 1;
