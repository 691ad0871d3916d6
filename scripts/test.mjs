// Builds what is out of date and runs the tests of all packages, even after one has failed. Prints a table at the end. Usage:
//   node scripts/test.mjs          the tests that contributors need
//   node scripts/test.mjs more     the others: long forms, the second database, other widths and themes
//   node scripts/test.mjs all      both
import { spawnSync } from "node:child_process";

const npm = (...args) => ["npm", ["run", "--silent", ...args]];
const PARTS = {
  "": [
    ["library", ...npm("test:library")],
    ["service", ...npm("test", "--workspace", "asi-server")],
    ["client", ...npm("test", "--workspace", "asi-client")],
    ["page", ...npm("test", "--workspace", "asi-web")],
  ],
  more: [
    ["library, long form", ...npm("test:long")],
    ["service, more", ...npm("test:more", "--if-present", "--workspace", "asi-server")],
    ["client, more", ...npm("test:more", "--if-present", "--workspace", "asi-client")],
    ["page, more", ...npm("test:more", "--workspace", "asi-web")],
  ],
};
PARTS.all = [...PARTS[""], ...PARTS.more];

const parts = PARTS[process.argv[2] ?? ""];
if (parts === undefined) {
  console.error("Usage: node scripts/test.mjs [more|all]");
  process.exit(2);
}

/** @returns a row of the table */
function run([name, command, args]) {
  console.log(`\n== ${name}`);
  const startMs = performance.now();
  const { status } = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" });
  return { name, seconds: (performance.now() - startMs) / 1000, hasPassed: status === 0 };
}

const build = run(["build", process.execPath, ["scripts/build.mjs"]]);
const rows = [build, ...(build.hasPassed ? parts.map(run) : [])];
const line = (name, seconds, result) => `${name.padEnd(20)}${seconds.toFixed(1).padStart(8)} s  ${result}`;
console.log("");
for (const { name, seconds, hasPassed } of rows)
  console.log(line(name, seconds, hasPassed ? "passed" : "FAILED"));
const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
const failed = rows.filter(({ hasPassed }) => !hasPassed);
console.log(
  line(
    "together",
    total,
    failed.length === 0 ? "passed" : `FAILED: ${failed.map(({ name }) => name).join(", ")}`,
  ),
);
process.exitCode = failed.length === 0 ? 0 : 1;
