/** Checks that every file, heading, script, command and setting mentioned in the documents exists. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { withSettingsTable } from "../scripts/settings-table.js";
import { program } from "../src/cli/program.js";
import { settings } from "../src/config/settings.js";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = [".", "docs", "server", "web", "client", "fixtures"];
const PAGES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
/** Pages that describe settings of the service. */
const OF_OPERATORS = [
  "limits",
  "operating",
  "personal-data",
  "postgresql",
  "proxy",
  "sessions",
  "webhooks",
].map((name) => `docs/${name}.md`);

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const withoutCode = (page: string) => page.replace(/```[\s\S]*?```/g, "");

/** Returns the anchors that GitHub generates for the headings of a page. */
const anchorsOf = (path: string) =>
  [...withoutCode(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Returns the commands of the program as typed, such as `account list`. */
const namesOf = (command: Command, prefix: string[] = []): string[] =>
  command.commands.flatMap((sub) => {
    const path = [...prefix, sub.name()];
    return sub.commands.length === 0 ? [path.join(" ")] : namesOf(sub, path);
  });
const COMMANDS = namesOf(program());

/** Environment variables of other programs that the documents mention. */
const NOT_SETTINGS = new Set([
  "NODE_EXTRA_CA_CERTS",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "ASI_TOKEN",
  "X_FILE",
  "PROPERTY_CALLS",
  "MALLOC_ARENA_MAX",
]);
const VARIABLES = new Set<string>(Object.values(settings).map(({ env }) => env));

describe("the documents", () => {
  it("link to files and headings that exist", () => {
    const broken = PAGES.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [path = "", anchor] = target.split("#");
          const file = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
          if (!existsSync(join(ROOT, file))) return true;
          return anchor !== undefined && !anchorsOf(file).includes(anchor);
        })
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it("mention only scripts that the packages have", () => {
    const scriptsOf = (folder: string) => Object.keys(JSON.parse(read(`${folder}/package.json`)).scripts);
    const folders: Record<string, string> = {
      "asi-server": "server",
      "asi-client": "client",
      "asi-web": "web",
    };
    const called = PAGES.flatMap((page) =>
      [...read(page).matchAll(/npm run (?:--silent )?([\w:-]+)(?: (?:-w|--workspace) ([\w-]+))?/g)].map(
        ([call, script = "", workspace = "."]) => ({ page, call, script, workspace }),
      ),
    );
    expect(called.length).toBeGreaterThan(20);
    const missing = called.filter(
      ({ script, workspace }) => !scriptsOf(folders[workspace] ?? workspace).includes(script),
    );
    expect(missing).toEqual([]);
  });

  it("mention only existing commands of asi-server", () => {
    const wrong = PAGES.flatMap((page) =>
      [...read(page).matchAll(/(?:npx|bin\/|`|service) ?asi-server ((?:[a-z][a-z-]+ ?)+)/g)]
        .map(([, words = ""]) => words.trim().split(" "))
        .filter(([first = "", second = ""]) => {
          const known = [...COMMANDS, "serve"];
          return !known.includes(first) && !known.includes(`${first} ${second}`);
        })
        .map((words) => `${page}: ${words.join(" ")}`),
    );
    expect(wrong).toEqual([]);
  });

  it("list every command of asi-server for operators, and no other commands", () => {
    const table =
      read("docs/operating.md")
        .split("\n## ")
        .find((part) => part.startsWith("Accounts, ")) ?? "";
    const cells = [...table.matchAll(/^\| (`.+?) +\|.*\| (.*) \|$/gm)].map(([, ...both]) => both.join(" "));
    const texts = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
    const named = (text: string) => COMMANDS.find((name) => `${text} `.startsWith(`${name} `));
    // The table also lists the options of commands.
    const unknown = texts.filter((text) => !text.startsWith("--") && named(text) === undefined);
    expect(unknown).toEqual([]);
    const missing = COMMANDS.filter((name) => !texts.some((text) => named(text) === name));
    expect(missing).toEqual(["serve", "config"]);
  });

  it("contain every setting with its default and meaning from the code", () => {
    const page = read("docs/operating.md");
    expect(page, "run `npm run settings -w server`").toBe(withSettingsTable(page));
    for (const variable of VARIABLES) expect(page).toContain(`\n| \`${variable}\` |`);
  });

  it("mention only settings that the service has", () => {
    const unknown = [...OF_OPERATORS, "server/README.md"].flatMap((page) =>
      [...read(page).matchAll(/(?<=[`\s(])([A-Z]+(?:_[A-Z0-9]+)+)(?=[`=),.:; ])/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !VARIABLES.has(name.replace(/_FILE$/, "")) && !NOT_SETTINGS.has(name))
        .map((name) => `${page}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it("list all settings, because the code reads the environment in one place only", () => {
    const files = readdirSync(join(ROOT, "server/src"), { recursive: true, encoding: "utf8" });
    // The examples in the API documentation are code for clients.
    const own = files.filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.includes("code-samples"));
    const direct = own.flatMap((name) =>
      [...read(join("server/src", name)).matchAll(/process\.env(?:\.(\w+)|\[)/g)].map(
        ([whole, variable]) => variable ?? whole,
      ),
    );
    // The exceptions are a variable of OpenTelemetry, and the variable in which sudo stores the original user.
    expect([...new Set(direct)].sort()).toEqual(["OTEL_SDK_DISABLED", "SUDO_USER"]);
  });
});
