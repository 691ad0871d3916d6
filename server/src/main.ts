#!/usr/bin/env node
import { errorText } from "./error-record.js";
import { runProgram } from "./operator/program.js";
import { keepFilesPrivate } from "./store/private-folder.js";

keepFilesPrivate();
// Node.js itself would print every field of the error, including the parameters of a failed statement.
process.on("uncaughtException", (error) => {
  console.error(errorText(error));
  process.exit(1);
});

await runProgram(process.argv.slice(2));
