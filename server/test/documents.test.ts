/** What the documents point at is there: files, headings, scripts, commands, settings. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { withSettingsTable } from "../scripts/settings-table.js";
import { program } from "../src/cli/program.js";
import { settings } from "../src/config/config.js";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = [".", "docs", "server", "web", "client", "fixtures"];
const PAGES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);
/** Pages with settings of the service. */
const OF_OPERATORS = ["limits", "operating", "personal-data", "postgresql", "proxy", "sessions"].map(
  (name) => `docs/${name}.md`,
);

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const withoutCode = (page: string) => page.replace(/```[\s\S]*?```/g, "");

/** The anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (path: string) =>
  [...withoutCode(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Commands of the program as they are typed, such as `account list`. */
const namesOf = (command: Command, prefix: string[] = []): string[] =>
  command.commands.flatMap((sub) => {
    const path = [...prefix, sub.name()];
    return sub.commands.length === 0 ? [path.join(" ")] : namesOf(sub, path);
  });
const COMMANDS = namesOf(program());

/** Variables of other programs in the documents of the service. */
const NOT_SETTINGS = new Set([
  "NODE_EXTRA_CA_CERTS",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "ASI_TOKEN",
  "X_FILE",
  "PROPERTY_CALLS",
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

  it("name scripts that the packages have", () => {
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

  it("name commands of asi-server that exist", () => {
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

  it("of operating list every command, and no other", () => {
    const table =
      read("docs/operating.md")
        .split("\n## ")
        .find((part) => part.startsWith("Accounts, ")) ?? "";
    const cells = [...table.matchAll(/^\| (`.+?) +\|.*\| (.*) \|$/gm)].map(([, ...both]) => both.join(" "));
    const texts = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
    const named = (text: string) => COMMANDS.find((name) => `${text} `.startsWith(`${name} `));
    // The table also has the options of commands.
    const unknown = texts.filter((text) => !text.startsWith("--") && named(text) === undefined);
    expect(unknown).toEqual([]);
    const missing = COMMANDS.filter((name) => !texts.some((text) => named(text) === name));
    expect(missing).toEqual(["serve", "config"]);
  });

  it("have every setting with its default and meaning, as the code has it", () => {
    const page = read("docs/operating.md");
    expect(page, "run `npm run settings -w server`").toBe(withSettingsTable(page));
    for (const variable of VARIABLES) expect(page).toContain(`\n| \`${variable}\` |`);
  });

  it("name no setting that the service does not have", () => {
    const unknown = [...OF_OPERATORS, "server/README.md"].flatMap((page) =>
      [...read(page).matchAll(/(?<=[`\s(])([A-Z]+(?:_[A-Z0-9]+)+)(?=[`=),.:; ])/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !VARIABLES.has(name.replace(/_FILE$/, "")) && !NOT_SETTINGS.has(name))
        .map((name) => `${page}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it("miss no setting: the code of the service reads the environment in one place", () => {
    const files = readdirSync(join(ROOT, "server/src"), { recursive: true, encoding: "utf8" });
    // The examples in the documentation of the API are code of clients.
    const own = files.filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.includes("code-samples"));
    const direct = own.flatMap((name) =>
      [...read(join("server/src", name)).matchAll(/process\.env(?:\.(\w+)|\[)/g)].map(
        ([whole, variable]) => variable ?? whole,
      ),
    );
    // A variable of OpenTelemetry, as all of telemetry; and who runs a command as another user, set by sudo.
    expect([...new Set(direct)].sort()).toEqual(["OTEL_SDK_DISABLED", "SUDO_USER"]);
  });
});
