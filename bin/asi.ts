#!/usr/bin/env node
import { main } from "../src/cli/main.js";

main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
