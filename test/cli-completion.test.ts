import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asi, scratchFolder } from "./asi-process.js";

const isInstalled = (program: string) => spawnSync(program, ["--version"]).error === undefined;

/** The output of a shell. Its completion script is the file `$COMPLETIONS`. */
async function answerOf(shell: string, script: string): Promise<string[]> {
  const folder = scratchFolder();
  const { stdout, stderr, status } = await asi(["completion", shell]);
  expect([status, stderr]).toEqual([0, ""]);
  const file = join(folder, "completions");
  writeFileSync(file, stdout);
  for (const name of ["match.asi", "notes.txt"]) writeFileSync(join(folder, name), "");
  const run = spawnSync(shell, ["-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, HOME: folder, COMPLETIONS: file, TERM: "dumb" },
    timeout: 60_000,
  });
  expect(run.stderr).toBe("");
  return run.stdout.split("\n").filter((line) => line !== "");
}

/** The completions of the last word. */
function bash(...words: string[]): Promise<string[]> {
  const list = words.map((word) => `'${word}'`).join(" ");
  return answerOf(
    "bash",
    `. "$COMPLETIONS"; COMP_WORDS=(asi ${list}); COMP_CWORD=${words.length}; _asi; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
}

const fish = async (line: string) =>
  (await answerOf("fish", `source $COMPLETIONS; complete -C '${line}'`)).map(
    (answer) => answer.split("\t")[0],
  );

describe("completions are generated from the definitions of the commands", () => {
  test.skipIf(!isInstalled("bash"))("in bash", async () => {
    expect(await bash("conv")).toEqual(["convert"]);
    expect(await bash("")).toEqual(
      expect.arrayContaining(["convert", "info", "encode", "completion", "help"]),
    );
    expect(await bash("")).not.toContain("man-page");
    expect(await bash("help", "va")).toEqual(["validate"]);
    expect(await bash("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await bash("convert", "--out")).toEqual(["--output", "--out-dir"]);
    expect(await bash("convert", "--format", "geo")).toEqual(["geojson", "geojsonl"]);
    expect(await bash("ecg", "m.asi", "--format", "p")).toEqual(["parquet"]);
    expect(await bash("stats", "--hr", "")).toEqual(["auto", "device", "ecg"]);
    expect(await bash("convert", "m.asi", "--time", "")).toEqual(["unix", "iso", "local", "excel"]);
    // bash itself completes files
    expect(await bash("convert", "mat")).toEqual([]);
    expect(await bash("info", "--form")).toEqual([]);
  });

  test.skipIf(!isInstalled("fish"))("in fish", async () => {
    expect(await fish("asi conv")).toEqual(["convert"]);
    expect(await fish("asi help va")).toEqual(["validate"]);
    expect(await fish("asi convert --format geo")).toEqual(["geojson", "geojsonl"]);
    expect(await fish("asi convert --out")).toEqual(expect.arrayContaining(["--out-dir", "--output"]));
    expect(await fish("asi convert mat")).toEqual(["match.asi"]);
    expect(await fish("asi info --form")).toEqual([]);
  });

  test.skipIf(!isInstalled("zsh"))("in zsh", async () => {
    const zsh = (line: string) =>
      answerOf(
        "zsh",
        `zmodload zsh/zpty; zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -U compinit; compinit -D; . $COMPLETIONS; zstyle ":completion:*" list-grouped false; print "rea""dy"'
zpty -r -m shell REPLY '*ready*'
zpty -w -n shell $'${line}\\t'
zpty -w shell " # en""d"; zpty -w shell 'print "fini""shed"'
zpty -r -m shell REPLY '*finished*'; print -r -- $REPLY`,
      );
    expect((await zsh(": ; asi conv")).join("\n")).toContain("asi convert ");
    expect((await zsh(": ; asi convert --format parq")).join("\n")).toContain("--format parquet ");
    expect((await zsh(": ; asi info mat")).join("\n")).toContain("asi info match.asi ");
  });

  test("other shells are refused", async () => {
    const { status, stderr } = await asi(["completion", "tcsh"]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/bash, zsh, fish/)]);
  });
});

describe("the manual page", () => {
  const page = new URL("../dist/asi.1", import.meta.url);

  test("contains every command with its options and examples, and nothing about the machine that built it", () => {
    const text = readFileSync(page, "utf8").replaceAll("\\-", "-");
    for (const name of ["convert", "info", "ranges", "validate", "repair", "encode", "completion"]) {
      expect(text).toContain(`\n.SS asi ${name} `);
    }
    expect(text).toContain("\\fB-o\\fR, \\fB--output\\fR");
    expect(text).toContain("asi convert match.asi -o match.gpx");
    expect(text).toContain("\\fB--from\\fR \\fItime\\fR");
    expect(text).not.toContain("file:");
  });

  test("names the repository for each document, because the package contains no documents", () => {
    const text = readFileSync(page, "utf8").replaceAll("\\-", "-");
    const documents = [...text.matchAll(/docs\/[a-z-]+\.md(.{0,20})/gs)];
    expect(documents.length).toBeGreaterThan(5);
    for (const [, after] of documents) expect(after).toMatch(/^\s*in\s+(the|its) repository/);
  });

  test("promises the starts of peaks only for files of a session", () => {
    const text = readFileSync(page, "utf8").replace(/\s+/g, " ");
    expect(text).toContain("files also contain their starts, except files of a season");
  });

  test.skipIf(!isInstalled("mandoc") && spawnSync("which", ["mandoc"]).status !== 0)(
    "passes the checks of mandoc",
    () => {
      const { stdout, status } = spawnSync("mandoc", ["-Tlint", "-Wwarning", page.pathname], {
        encoding: "utf8",
      });
      expect(
        stdout.split("\n").filter((line) => /WARNING|ERROR/.test(line) && !/missing date/.test(line)),
      ).toEqual([]);
      expect(status).toBeLessThan(4);
    },
  );

  test.skipIf(!isInstalled("groff"))(
    "passes the checks of groff, and shows examples as they are typed",
    () => {
      const { stdout, stderr } = spawnSync("groff", ["-man", "-ww", "-Tascii", page.pathname], {
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(stdout).toContain('"{input}_{date}" --tz Europe/Zurich');
    },
  );
});
