#!/usr/bin/env node
// The installed command. In a checkout without a build, it prints a message and builds first.
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const folder = join(__dirname, "..");
if (!existsSync(join(folder, "dist/bin/asi.cjs"))) {
  if (!existsSync(join(folder, "node_modules/tsup"))) {
    console.error(`asi is not built. Run \`npm ci\` in ${folder} first.`);
    process.exit(1);
  }
  console.error("asi is not built. Building it takes about 15 seconds.");
  const build = [join(folder, "scripts/build.mjs"), "library"];
  const { status } = require("node:child_process").spawnSync(process.execPath, build, {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(1);
}
require("../dist/bin/asi.cjs");
