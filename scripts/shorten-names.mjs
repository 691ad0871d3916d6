// Shortens the names of parameters and variables inside functions, which do not appear in stack traces. Names of functions and classes
// remain.
import { readFileSync, writeFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { minifySync } from "rolldown/experimental";

/**
 * Rewrites a built file.
 * @param printed options with which esbuild prints it
 */
export function shortenNames(path, printed) {
  const module = path.endsWith(".js");
  const { code, errors } = minifySync(path, readFileSync(path, "utf8"), {
    module,
    compress: false,
    mangle: { toplevel: false, keepNames: true },
    codegen: false,
  });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const format = module ? { format: "esm" } : {};
  writeFileSync(path, transformSync(code, { ...printed, ...format, legalComments: "inline" }).code);
}
