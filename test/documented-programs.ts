/** Programs in docs/python.md and docs/r.md, and the interpreters of Debian that run them. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Language = "python" | "r";
export const LANGUAGES: readonly Language[] = ["python", "r"];

// Debian's python, which has Debian's pandas
const INTERPRETERS = { python: ["/usr/bin/python3"], r: ["Rscript", "--vanilla"] } as const;
const CHECKS = { python: "import pandas", r: 'stopifnot(getRversion() >= "4.0")' } as const;

/** Whether the programs of a language can run here. Prints the missing program. Installation on Debian: `apt-get install
 * python3-pandas r-base-core` */
export function canRun(language: Language): boolean {
  const [program, ...args] = INTERPRETERS[language];
  const isInstalled =
    spawnSync(program, [...args, language === "python" ? "-c" : "-e", CHECKS[language]]).status === 0;
  if (!isInstalled)
    console.warn(`skipped: ${language === "python" ? "pandas for /usr/bin/python3" : "R"} is not installed`);
  return isInstalled;
}

/** The code blocks of a section of docs/python.md or docs/r.md in a language, in their order. */
export function blocksOf(language: Language, section: string, block: Language | "sh"): string[] {
  const text = readFileSync(new URL(`../docs/${language}.md`, import.meta.url), "utf8");
  const [, body = ""] = text.split(`\n## ${section}\n`);
  const own = body.split("\n## ")[0] ?? "";
  return [...own.matchAll(new RegExp(`\`\`\`${block}\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) => code);
}

/** The command that runs a program in a folder. The program is saved there. */
export function commandOf(language: Language, program: string, folder: string): readonly [string, string[]] {
  const [interpreter, ...args] = INTERPRETERS[language];
  const name = language === "python" ? "program.py" : "program.R";
  writeFileSync(join(folder, name), program);
  return [interpreter, [...args, name]];
}
