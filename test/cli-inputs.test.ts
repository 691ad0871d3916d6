import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expandBraces, nameMatcher } from "../src/cli/batch/glob.js";
import {
  asi,
  MATCH,
  namesIn,
  PLAIN_LOG,
  RIDE,
  scratchFolder,
  shell,
  TORN,
  textOf,
  WITHOUT_ROW,
} from "./asi-process.js";

const inputsOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).input);

/** A folder with recordings in several subfolders. */
function tree(): string {
  const folder = scratchFolder();
  for (const path of ["a/x", "b/.hidden", "B"]) mkdirSync(join(folder, path), { recursive: true });
  for (const name of ["a/1.asi", "a/2.ASI", "a/x/3.asi", "b/.hidden/4.asi", "b/._5.asi", "B/[6].asi"]) {
    RIDE.copyTo(folder, name);
  }
  writeFileSync(join(folder, "a/notes.txt"), "no recording");
  return folder;
}

const found = async (folder: string, ...args: string[]) => {
  const result = await asi(["ranges", "--json", ...args], { cwd: folder });
  return { status: result.status, inputs: inputsOf(result.stdout), stderr: result.stderr };
};

describe("inputs", () => {
  test("a folder selects the .asi files in it and its subfolders, in the order of their names", async () => {
    const folder = tree();
    const all = ["B/[6].asi", "a/1.asi", "a/2.ASI", "a/x/3.asi"];
    expect(await found(folder, ".")).toEqual({ status: 0, inputs: all, stderr: "" });
    expect((await found(folder, "a")).inputs).toEqual(["a/1.asi", "a/2.ASI", "a/x/3.asi"]);
  });

  test("links to folders are not followed within a folder, because they can form a loop", async () => {
    const folder = tree();
    symlinkSync("..", join(folder, "a/up"));
    expect((await found(folder, "a")).inputs).toEqual(["a/1.asi", "a/2.ASI", "a/x/3.asi"]);
  });

  test.each([
    ["a/*", ["a/1.asi", "a/2.ASI", "a/notes.txt", "a/x/3.asi"]],
    ["a/*.asi", ["a/1.asi"]],
    ["*/?.asi", ["a/1.asi"]],
    ["**/*.asi", ["B/[6].asi", "a/1.asi", "a/x/3.asi"]],
    ["a/[12].*", ["a/1.asi", "a/2.ASI"]],
    ["a/[!1]*.{ASI,asi}", ["a/2.ASI"]],
    ["{a/x,B}/*", ["B/[6].asi", "a/x/3.asi"]],
    ["b/.*", ["b/._5.asi", "b/.hidden/4.asi"]],
    ["B/\\[6\\].*", ["B/[6].asi"]],
    // a file whose name is the pattern
    ["B/[6].asi", ["B/[6].asi"]],
  ])("the pattern %s", async (pattern, expected) => {
    expect((await found(tree(), pattern)).inputs).toEqual(expected);
  });

  test("a pattern without matches fails, and other inputs are read", async () => {
    const folder = tree();
    mkdirSync(join(folder, "empty"));
    const { status, stdout } = await asi(["ranges", "--json", "missing.asi", "*.xyz", "empty", "a/1.asi"], {
      cwd: folder,
    });
    expect(status).toBe(1);
    const results = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.map(({ input, error }) => [input, error?.code])).toEqual([
      ["missing.asi", "NO_INPUT"],
      ["*.xyz", "NO_INPUT"],
      ["empty", "NO_INPUT"],
      ["a/1.asi", undefined],
    ]);
  });

  test("a folder selects its .ubx files only with --serial; otherwise they are reported", async () => {
    const folder = scratchFolder();
    PLAIN_LOG.copyTo(folder, "log.UBX");
    const without = await found(folder, ".");
    expect(without.status).toBe(1);
    expect((await asi(["ranges", "."], { cwd: folder })).stderr).toMatch(/\.ubx logs, .*--serial/);
    MATCH.copyTo(folder, "match.asi");
    expect((await found(folder, ".")).inputs).toEqual(["match.asi"]);
    expect(await found(folder, ".", "--serial", "UBX7-0002")).toEqual({
      status: 0,
      inputs: ["log.UBX", "match.asi"],
      stderr: "",
    });
    const { status, stderr } = await asi(["convert", ".", "--serial", "R1", "-d", "csv"], { cwd: folder });
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^log\.UBX: \d+ rows -> csv\/R1_.*\nlog.*\nmatch\.asi: 7200 rows -> .*\n2 written\n$/,
    );
  });

  test("a file that is named twice is read once", async () => {
    const folder = tree();
    const { inputs } = await found(folder, "a/1.asi", "./a/1.asi", "a/*.asi", join(folder, "a"));
    expect(inputs).toEqual(["a/1.asi", join(folder, "a/2.ASI"), join(folder, "a/x/3.asi")]);
  });
});

describe("patterns", () => {
  test.each([
    ["a*a*a*a*a*a*a*a*a*b", "a".repeat(60), false],
    ["[z-a]", "m", false],
    ["*a*b?[c-e]*", "xaybzdd", true],
    ["*.asi", "a.asi.asi", true],
    ["a*", "a", true],
    ["?", "", false],
    ["?", "😀", true],
    ["[]]", "]", true],
    ["[", "[", true],
    ["a[b", "a[b", true],
    ["[^-]", "-", false],
    ["a.b", "axb", false],
    ["*", ".hidden", false],
    ["x+(1)$", "x+(1)$", true],
  ])("%s matches %s: %s", (pattern, name, meets) => {
    expect(nameMatcher(pattern)(name)).toBe(meets);
  });

  test("with braces are expanded", () => {
    expect(expandBraces("a{b,c{d,e}}f")).toEqual(["abf", "acdf", "acef"]);
    expect(expandBraces("a{b}c")).toEqual(["a{b}c"]);
    expect(expandBraces("a{b,c")).toEqual(["a{b,c"]);
    expect(expandBraces("a\\{b,c}")).toEqual(["a\\{b,c}"]);
    expect(expandBraces("{b}{c,d}")).toEqual(["{b}c", "{b}d"]);
  });
});

describe("a pattern with braces that expand to too many patterns", () => {
  test("is refused in any notation; 1000 patterns are accepted", () => {
    const numbers = (count: number) => `{${Array.from({ length: count }, (_, i) => i).join(",")}}`;
    expect(expandBraces(numbers(1000))).toHaveLength(1000);
    expect(expandBraces(numbers(1001))).toBeNull();
    expect(expandBraces("{a,b}".repeat(9))).toHaveLength(512);
    expect(expandBraces("{a,b}".repeat(10_000))).toBeNull();
    expect(expandBraces(`${"{a,".repeat(10_000)}${"}".repeat(10_000)}`)).toBeNull();
  });

  test("fails with a message, and other inputs are read", async () => {
    const { status, stdout } = await asi(["ranges", "--json", "{a,b}".repeat(30), "a/1.asi"], {
      cwd: tree(),
    });
    expect(status).toBe(1);
    const [refused, other] = stdout.split("\n").map((line) => (line === "" ? null : JSON.parse(line)));
    expect(refused.error).toEqual({
      code: "NO_INPUT",
      message: expect.stringMatching(/more than 1000.*folder/),
    });
    expect(other.ranges).toHaveLength(1);
  });

  test("with many ** visits each folder only once", async () => {
    const { inputs } = await found(tree(), `${"**/".repeat(40)}*.asi`);
    expect(inputs).toEqual(["B/[6].asi", "a/1.asi", "a/x/3.asi"]);
  });
});

describe("a batch", () => {
  test("continues after an invalid file, and exits with the status of the worst result", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "bad.asi"), "no recording");
    const args = (...paths: string[]) => ["convert", ...paths, "-f", "-d", folder];
    const bad = join(folder, "bad.asi");
    const all = await asi(args(bad, TORN.path, WITHOUT_ROW.path, MATCH.path));
    expect(all.status).toBe(1);
    expect(namesIn(folder)).toEqual([MATCH.expected.fileName, TORN.expected.fileName, "bad.asi"].sort());
    expect(all.stderr).toMatch(/bad\.asi: .*\(NOT_A_RECORDING at byte 0\)/);
    expect((await asi(args(TORN.path, MATCH.path))).status).toBe(3);
    expect((await asi(args(MATCH.path, RIDE.path))).status).toBe(0);
  });

  test("prints its failures and their number at the end", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "bad.asi"), "no recording");
    const inputs = [join(folder, "bad.asi"), MATCH.path, "missing.asi", TORN.path];
    const { stderr } = await asi(["convert", ...inputs, "-d", "out"], { cwd: folder });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[0]).toContain(" 7200 rows -> ");
    expect(lines.slice(3)).toEqual([
      expect.stringMatching(/^asi: .*bad\.asi: .*\(NOT_A_RECORDING at byte 0\)$/),
      "asi: missing.asi: There is no such file or folder. (NO_INPUT)",
      "2 written, 2 failed, 1 damaged",
    ]);
    expect((await asi(["validate", ...inputs])).stderr).toMatch(/\n1 whole, 2 failed, 1 damaged\n$/);
    expect((await asi(["repair", MATCH.path, TORN.path, "-d", folder])).stderr).toMatch(
      /\n2 written, 1 damaged\n$/,
    );
    // no counts
    expect((await asi(["convert", MATCH.path, "-d", "one"], { cwd: folder })).stderr).not.toMatch(/written/);
    const json = await asi(["convert", ...inputs, "-d", "json", "--json"], { cwd: folder });
    expect(json.stderr).toBe("");
  });

  test("prints only its errors with --quiet", async () => {
    const folder = scratchFolder();
    const quiet = await asi(["convert", TORN.path, "missing.asi", "-d", "out", "-q"], { cwd: folder });
    expect(quiet).toMatchObject({
      status: 1,
      stdout: "",
      stderr: "asi: missing.asi: There is no such file or folder. (NO_INPUT)\n",
    });
    expect(await asi(["convert", MATCH.path, "-d", "out", "--quiet"], { cwd: folder })).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect((await asi(["validate", MATCH.path, "--quiet"])).stdout).toBe(`${MATCH.path}: whole, 7200 rows\n`);
  });

  test.each(["1", "2"])(
    "two inputs never write the same file with --jobs %s; the first input gets the file",
    async (jobs) => {
      const folder = scratchFolder();
      const first = MATCH.copyTo(folder, "first.asi");
      const second = MATCH.copyTo(folder, "second.asi");
      const { status, stdout } = await asi(["convert", first, second, "--force", "--json", "--jobs", jobs]);
      expect(status).toBe(1);
      const [one, two] = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(one.files).toHaveLength(1);
      expect(two).toEqual({
        input: second,
        error: { code: "FILE_EXISTS", message: expect.stringContaining(first) },
      });
      expect(textOf(folder, MATCH.expected.fileName)).toBe(MATCH.csv);
      expect(namesIn(folder)).toEqual([MATCH.expected.fileName, "first.asi", "second.asi"]);
    },
  );

  test("--jobs changes neither the results nor their order", async () => {
    const outcome = async (jobs: string) => {
      const folder = scratchFolder();
      const inputs = [MATCH, RIDE, TORN, WITHOUT_ROW].map(({ path }) => path);
      const result = await asi(["convert", ...inputs, "missing.asi", "--json", "-d", "out", "--jobs", jobs], {
        cwd: folder,
      });
      return {
        ...result,
        files: namesIn(join(folder, "out")).map((name) => textOf(join(folder, "out"), name)),
      };
    };
    const one = await outcome("1");
    expect(one.status).toBe(1);
    expect(one.files).toHaveLength(3);
    expect(await outcome("3")).toEqual(one);
  });

  test("accepts the standard input among the inputs with --jobs", async () => {
    const folder = scratchFolder();
    const { status } = await shell(
      `cat ${MATCH.path} | $ASI convert ${RIDE.path} - ${TORN.path} --jobs 3 -d .`,
      folder,
    );
    expect(status).toBe(3);
    expect(textOf(folder, MATCH.expected.fileName)).toBe(MATCH.csv);
  });
});

// root may do everything; another user must be able to access the program
const probe = await shell(
  process.getuid?.() === 0
    ? `setpriv --reuid=65534 --regid=65534 --clear-groups $ASI --version`
    : "$ASI --version",
  "/",
);

test.skipIf(probe.status !== 0 || process.platform === "win32")(
  "describes system errors in plain words, and continues",
  async () => {
    const folder = scratchFolder();
    const user = process.getuid?.() === 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "";
    for (const name of ["locked", "secret", "open"]) mkdirSync(join(folder, name));
    MATCH.copyTo(folder, "locked/match.asi");
    MATCH.copyTo(folder, "secret/match.asi");
    MATCH.copyTo(folder, "unreadable.asi");
    RIDE.copyTo(folder, "open/ride.asi");
    chmodSync(folder, 0o755);
    chmodSync(join(folder, "locked"), 0o555);
    chmodSync(join(folder, "secret"), 0o000);
    chmodSync(join(folder, "unreadable.asi"), 0o000);
    chmodSync(join(folder, "open"), 0o777);
    const { status, stderr } = await shell(`${user} $ASI convert locked secret unreadable.asi open`, folder);
    chmodSync(join(folder, "secret"), 0o755);
    expect(status).toBe(1);
    expect(stderr.split("\n")).toEqual([
      `open/ride.asi: 3600 rows -> open/${RIDE.expected.fileName}`,
      "asi: locked/match.asi: Cannot write into locked: permission denied. (EACCES)",
      "asi: secret: permission denied. (EACCES)",
      "asi: unreadable.asi: permission denied. (EACCES)",
      "1 written, 3 failed",
      "",
    ]);
    expect(textOf(join(folder, "open"), RIDE.expected.fileName)).toBe(RIDE.csv);
    expect(namesIn(join(folder, "locked"))).toEqual(["match.asi"]);
  },
);
