/** Tests the operator commands in real processes, while the service runs and while it is stopped. */
import { execFile, spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../src/store/connection/database.js";
import { MAIN, Processes, type RunningProcess } from "./processes.js";

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

let processes: Processes;
let service: RunningProcess;

/** Runs a command with empty standard input. */
const runOn = ({ env }: Processes, ...args: string[]) =>
  new Promise<Ended>((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { ...env, SUDO_USER: "tess" }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end();
  });

const run = (...args: string[]) => runOn(processes, ...args);

/** Whether a program of util-linux can run a command in a terminal. */
const hasTerminal = spawnSync("script", ["--version"]).status === 0;

/** Runs a command in a terminal with typed input. */
const atTerminal = (command: string, typed: string) =>
  spawnSync(
    "script",
    ["--quiet", "--return", "--command", `"${process.execPath}" "${MAIN}" ${command}`, "/dev/null"],
    {
      env: processes.env,
      input: typed,
      encoding: "utf8",
    },
  );

const password = "a long passphrase";

const register = (username: string, on = service) =>
  on.send("POST", "/api/v1/managers/", undefined, {
    username,
    email: `${username}@example.org`,
    password,
  });

beforeAll(async () => {
  processes = await Processes.onNewDatabase();
  service = await processes.start();
  for (const username of ["ann", "ben", "eve"]) await register(username);
});

afterAll(() => processes.end());

describe("operator commands", { timeout: 120_000 }, () => {
  it("accept --yes even if they ask nothing", async () => {
    const { token } = await processes.manager(service, "yan");
    expect((await service.send("GET", "/api/v1/account/", token)).status).toBe(200);
    expect(await run("session", "revoke", "yan", "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect((await service.send("GET", "/api/v1/account/", token)).status).toBe(403);
    expect((await run("account", "list", "--yes", "--limit", "1")).code).toBe(0);
  });

  it("act on a running service, print lists as tables or JSON, and indicate errors by their exit status", async () => {
    const { id, token } = await processes.manager(service, "mia");
    const account = async () =>
      (await service.send("GET", "/api/v1/account/", token)).headers.get("x-error-code");
    expect(await account()).toBeNull();
    expect(JSON.parse((await run("account", "disable", "mia", "--json")).stdout)).toEqual({
      username: "mia",
      disabled: expect.any(String),
    });
    expect(await account()).toBe("account_disabled");

    const [table, json, two, none, shown, unknown, wrong, noUser, help] = await Promise.all([
      run("account", "list"),
      run("account", "list", "--json", "--disabled"),
      run("account", "list", "--json", "--limit", "2"),
      run("webhook", "list"),
      run("account", "show", "mia"),
      run("account", "show", "nobody", "--json"),
      run("account", "list", "--limit", "0"),
      run("account", "show"),
      run("samples", "delete", "--help"),
    ]);
    expect(table).toMatchObject({ code: 0, stderr: "" });
    const lines = table.stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^id +username +role +email +first_name/);
    const usernames = lines.slice(1).map((line) => line.split(/ +/)[1]);
    const known = ["ann", "ben", "eve", "mia"];
    expect(usernames.filter((username) => known.includes(username ?? ""))).toEqual(known);
    expect(JSON.parse(json.stdout)).toMatchObject([{ id, username: "mia" }]);
    expect(JSON.parse(two.stdout).map(({ username }: { username: string }) => username)).toEqual([
      "ann",
      "ben",
    ]);
    expect(none).toEqual({ code: 0, stdout: "", stderr: "The list is empty.\n" });
    expect(shown.stdout).toContain("username: mia\nrole: manager\n");
    expect([unknown.code, JSON.parse(unknown.stderr)]).toEqual([
      1,
      { detail: "There is no account nobody." },
    ]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("expected a whole number from 1"),
    ]);
    expect([noUser.code, noUser.stderr]).toEqual([2, expect.stringContaining("missing required argument")]);
    expect([help.code, help.stdout]).toEqual([
      0,
      expect.stringContaining("Example:\n  asi-server samples delete A1B2 "),
    ]);
  });

  it("ask before irreversible work; without a terminal and without --yes, nothing happens", async () => {
    await register("kim");
    const refused = await run("account", "delete", "kim");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "Delete the account kim and everything that belongs to it? This cannot be undone. Add --yes to confirm.\n",
    ]);
    const [there, retire, revoke] = await Promise.all([
      run("account", "show", "kim"),
      run("device", "retire", "S1"),
      run("app", "revoke", "asi-page"),
    ]);
    expect([there.code, retire.code, revoke.code]).toEqual([0, 2, 2]);
    expect((await run("account", "delete", "kim", "--yes")).code).toBe(0);
    expect((await run("account", "show", "kim")).code).toBe(1);
  });

  it.runIf(hasTerminal)("ask at a terminal, and continue only after a yes", async () => {
    await register("tom");
    const no = atTerminal("account delete tom", "n\n");
    expect(no).toMatchObject({ status: 1, stdout: expect.stringContaining("This cannot be undone. [y/N]") });
    expect(no.stdout).toContain("Nothing was changed.");
    expect((await run("account", "show", "tom")).code).toBe(0);
    expect(atTerminal("account delete tom", "y\n").status).toBe(0);
    expect((await run("account", "show", "tom")).code).toBe(1);
  });

  it("print a secret once, and print a new secret that replaces it", async () => {
    const { client_id } = JSON.parse((await run("app", "create", "--name", "Coach", "--json")).stdout);
    const rotated = await run("app", "rotate-secret", client_id, "--yes");
    expect(rotated.stdout).toMatch(/^client_secret: [\w-]{43}$/m);
  });

  it('take a value that begins with "-" after --, and the error for an unknown option says so', async () => {
    await register("-dan");
    const [option, named, shown, application] = await Promise.all([
      run("account", "show", "-dan"),
      run("account", "show", "--json", "--", "-dan"),
      run("account", "show", "--", "-dan"),
      run("app", "rotate-secret", "--yes", "--", "-old"),
    ]);
    expect(option).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: unknown option '-dan'\n" +
        'Write -- after all options and before a value that begins with "-".\n',
    });
    expect(JSON.parse(named.stdout)).toMatchObject({ username: "-dan" });
    expect(shown.stdout).toContain("username: -dan\n");
    expect([application.code, application.stderr]).toEqual([1, "There is no application -old.\n"]);
  });

  it("email a link for a new password, which the running service sends", async () => {
    const { stdout, stderr } = await run("account", "reset-password", "eve", "--json");
    expect([JSON.parse(stdout), stderr]).toEqual([
      { username: "eve", mailed_to: "eve@example.org", expires: expect.stringMatching(/Z$/) },
      "",
    ]);
    await expect
      .poll(async () => JSON.parse((await run("job", "list", "--kind", "mail", "--json")).stdout)[0]?.state)
      .toBe("SUCCESS");
  });

  it("work on a stopped service, and record their user in the audit log", async () => {
    const stopped = await Processes.onNewDatabase();
    const before = await stopped.start();
    for (const username of ["ann", "ben"]) await register(username, before);
    const { client_id } = await stopped.command("app", "create", "--name", "Coach");
    for (const command of [
      ["account", "disable", "ann"],
      ["account", "delete", "ben", "--yes"],
      ["app", "rotate-secret", client_id, "--yes"],
    ]) {
      expect((await runOn(stopped, ...command)).code).toBe(0);
    }
    expect(await before.terminate()).toBe(0);
    const device = await runOn(
      stopped,
      "device",
      "add",
      "--serial-number",
      "S1",
      "--device-name",
      "\u001b[31mred",
      "--device-type",
      "T",
    );
    expect(device.code).toBe(0);
    const listed = await runOn(stopped, "device", "list");
    expect(listed.stdout).toContain("\\u{1b}[31mred");
    expect(listed.stdout).not.toContain("\u001b");

    const { DATABASE_URL } = stopped.env;
    const database = await openDatabase(
      DATABASE_URL === undefined
        ? { folder: `${stopped.dataDir}/database` }
        : { url: DATABASE_URL, poolSize: 2 },
    );
    try {
      const { rows } = await database.pool.query(
        `SELECT operation, operator, account_id FROM audit_log WHERE operation LIKE '% %' ORDER BY id`,
      );
      const operator = `tess (as ${userInfo().username})`;
      for (const operation of ["account disable", "account delete", "device add", "app rotate-secret"]) {
        expect(rows).toContainEqual({ operation, operator, account_id: null });
      }
      const others = await database.pool.query(
        "SELECT count(*)::int AS count FROM audit_log WHERE operation = 'createManager' AND operator IS NOT NULL",
      );
      expect(others.rows).toEqual([{ count: 0 }]);
    } finally {
      await database.close();
    }
  });
});
