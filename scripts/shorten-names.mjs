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

/**
 * Shortens the names that the bundler gives to imports and to the functions that initialize modules, in the CommonJS files. No source
 * contains names of this form.
 */
export function shortenImports(path) {
  const text = readFileSync(path, "utf8");
  const names = new Map();
  let count = 0;
  const newName = () => {
    const name = `i${(count++).toString(36)}$`;
    return text.includes(name) ? newName() : name;
  };
  const short = text.replaceAll(/\b(?:import|init)_\w+/g, (name) => {
    if (!names.has(name)) names.set(name, newName());
    return names.get(name);
  });
  writeFileSync(path, short);
}
