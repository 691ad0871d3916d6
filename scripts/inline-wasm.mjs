// Puts the compiled cores into a TypeScript module, so that no bundler has to find a .wasm file.
import { readFileSync, writeFileSync } from "node:fs";

const inline = (name) =>
  readFileSync(new URL(`../build/core-${name}.wasm`, import.meta.url)).toString("base64");

writeFileSync(
  new URL("../src/wasm/bytes.ts", import.meta.url),
  `// Made by scripts/inline-wasm.mjs from assembly/. Do not edit.
export const SIMD_CORE_BASE64 = "${inline("simd")}";
export const SCALAR_CORE_BASE64 = "${inline("scalar")}";
`,
);
