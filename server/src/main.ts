#!/usr/bin/env node
import { runProgram } from "./cli/program.js";
import { errorText } from "./observability/error-record.js";
import { keepFilesPrivate } from "./store/embedded/private-folder.js";

keepFilesPrivate();
// By default, Node.js prints every field of the error, including the parameters of a failed statement.
process.on("uncaughtException", (error) => {
  console.error(errorText(error));
  process.exit(1);
});

await runProgram(process.argv.slice(2));
