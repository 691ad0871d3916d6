// Finishes the compiled cores: adds a mark to each, and writes the core with SIMD to a TypeScript module, so that bundlers
// need not find a .wasm file.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const NAMES = ["simd", "scalar"];
const SECTION_NAME = "asi-convert";
const pathOf = (name) => new URL(`../build/core-${name}.wasm`, import.meta.url);

const cores = NAMES.map((name) => {
  const bytes = readFileSync(pathOf(name));
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name, bytes, mark: `${name} ${digest}` };
});

// The mark is a custom section that identifies a module as the core of this build, for `initialize`.
for (const { name, bytes, mark } of cores) {
  const text = Buffer.concat([Buffer.of(SECTION_NAME.length), Buffer.from(SECTION_NAME), Buffer.from(mark)]);
  writeFileSync(pathOf(name), Buffer.concat([bytes, Buffer.of(0, text.length), text]));
}

// The encoding uses one printable character for each byte; two thirds of them follow an escape. The text is about as long as
// base64, but each byte has the same text everywhere. Compressed for the network, the text is therefore only two thirds as
// long.
const alphabet = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i))
  .filter((character) => !'"\\`$~}'.includes(character))
  .join("");
const escapes = ["", "~", "}"];
const encoded = (bytes) =>
  Array.from(
    bytes,
    (byte) => escapes[Math.floor(byte / alphabet.length)] + alphabet[byte % alphabet.length],
  ).join("");

writeFileSync(
  new URL("../src/engine/wasm/bytes.ts", import.meta.url),
  `// Made by scripts/inline-wasm.mjs from assembly/. Do not edit.

/** The characters of the encoded core. */
export const ALPHABET = ${JSON.stringify(alphabet)};

export const SIMD_CORE = ${JSON.stringify(encoded(cores[0].bytes))};

/** Contents of the section "${SECTION_NAME}" of the files of the cores. */
export const CORE_MARKS = { ${cores.map(({ name, mark }) => `${name}: "${mark}"`).join(", ")} } as const;
`,
);
