/**
 * Runs all engines on random inputs until they differ or the time is over. The seed and the number determine an input, so each one can be
 * reproduced.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { settingsText } from "../test/drawn-settings.js";
import { Comparison, compareLibrary, type Difference } from "./comparison.js";
import { drawInput, makeBases } from "./inputs.js";

const USAGE = `npm run fuzz -- [--seconds N] [--inputs N] [--seed N] [--first N] [--out FOLDER]

  --seconds  duration; default 60
  --inputs   end after this number of inputs; default: no limit
  --seed     whole number that determines all inputs; default: random
  --first    number of the first input; default 0
  --out      folder for the inputs of a difference; default fuzz/out`;

/** One input out of this number is also processed by `convert` and `repair`. */
const LIBRARY_SHARE = 16;
const PROGRESS_S = 10;
/** When looking for the inputs that cause a difference, these numbers of preceding inputs are tried. */
const PREDECESSORS = [0, 1, 2, 4, 8, 16, 32, 64, 128];

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    inputs: { type: "string", default: "Infinity" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    first: { type: "string", default: "0" },
    out: { type: "string", default: fileURLToPath(new URL("./out", import.meta.url)) },
    help: { type: "boolean", default: false },
  },
});

if (options.help) console.log(USAGE);
else process.exitCode = (await fuzz()) === null ? 0 : 1;

interface Found extends Difference {
  number: number;
}

async function fuzz(): Promise<Found | null> {
  const seconds = wholeNumber("seconds");
  const most = options.inputs === "Infinity" ? Number.POSITIVE_INFINITY : wholeNumber("inputs");
  const seed = wholeNumber("seed");
  const first = wholeNumber("first");
  const bases = makeBases(seed);
  console.log(
    `seed ${seed}; made of ${bases.real.length} real recordings, ${bases.fixed.length} fixtures, ${bases.generated.length} generated`,
  );
  const comparison = new Comparison();
  const tried = { inputs: 0, library: 0, bytes: 0, rows: 0, withoutRow: 0, damaged: 0 };
  const startS = process.uptime();
  const elapsedS = () => process.uptime() - startS;
  const told = () =>
    `${count(tried.inputs)} inputs (${count(tried.library)} of them also through the library), ${(tried.bytes / 1e6).toFixed(0)} MB, ${count(tried.rows)} rows, ${count(tried.withoutRow)} GNSS frames without one, ${count(tried.damaged)} inputs damaged`;
  let nextProgressS = PROGRESS_S;

  for (let number = first; tried.inputs < most && elapsedS() < seconds; number++) {
    const input = drawInput(bases, seed, number);
    const { report, difference } = comparison.compare(input);
    const isForLibrary = number % LIBRARY_SHARE === 0;
    const found = difference ?? (isForLibrary ? await compareLibrary(input) : null);
    tried.inputs += 1;
    tried.library += isForLibrary ? 1 : 0;
    tried.bytes += input.bytes.length;
    tried.rows += report.rows.total;
    tried.withoutRow += report.frames.gnss - report.rows.total;
    tried.damaged += Object.values(report.damage).some((times) => times > 0) ? 1 : 0;
    if (found !== null) {
      tell({ ...found, number }, seed, bases);
      console.log(`seed ${seed}: 1 difference in ${told()}; ${elapsedS().toFixed(0)} s`);
      return { ...found, number };
    }
    if (elapsedS() >= nextProgressS) {
      nextProgressS += PROGRESS_S;
      console.log(`${elapsedS().toFixed(0)} s: ${count(tried.inputs)} inputs, no difference`);
    }
  }
  console.log(`seed ${seed}: no difference in ${told()}; ${elapsedS().toFixed(0)} s`);
  return null;
}

/** Writes the inputs that reproduce a difference, and prints how to run them again. */
function tell(found: Found, seed: number, bases: ReturnType<typeof makeBases>): void {
  const first = firstNeeded(found.number, seed, bases);
  const folder = join(options.out, `seed-${seed}-input-${found.number}`);
  mkdirSync(folder, { recursive: true });
  for (let number = first; number <= found.number; number++) {
    writeFileSync(join(folder, `${number}.asi`), drawInput(bases, seed, number).bytes);
  }
  const { base, chunks, settings } = drawInput(bases, seed, found.number);
  const lines = [
    `DIFFERENCE in input ${found.number}, made of ${base}, in ${chunks.length} chunks, with ${settingsText(settings)}`,
    `${found.engine} has a different result:`,
    ...found.parts.map((part) => `  ${part}`),
    `inputs ${first} to ${found.number} are in ${folder}`,
    `to repeat: npm run fuzz -- --seed ${seed} --first ${first} --inputs ${found.number - first + 1}`,
  ];
  console.log(lines.join("\n"));
  writeFileSync(join(folder, "difference.txt"), `${lines.join("\n")}\n`);
}

/** Returns the number of the last input from which new engines reproduce the difference. */
function firstNeeded(number: number, seed: number, bases: ReturnType<typeof makeBases>): number {
  for (const predecessors of PREDECESSORS) {
    const comparison = new Comparison();
    const first = Math.max(0, number - predecessors);
    for (let at = first; at < number; at++) comparison.compare(drawInput(bases, seed, at));
    if (comparison.compare(drawInput(bases, seed, number)).difference !== null) return first;
  }
  return Math.max(0, number - Math.max(...PREDECESSORS));
}

function wholeNumber(name: "seconds" | "inputs" | "seed" | "first"): number {
  const value = Number(options[name]);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`--${name} is ${options[name]}; it must be a whole number, 0 or more.`);
  }
  return value;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
