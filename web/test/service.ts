import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Client, createClient, obtainToken, unwrap } from "asi-client";
import type { Page } from "playwright-core";
import type { CommandName } from "../../server/src/operator/commands.js";
import { runOnServer } from "../../server/src/operator/socket-client.js";

const MAIN = fileURLToPath(new URL("../../server/dist/main.js", import.meta.url));
const QUICK_PASSWORDS = new URL("quick-passwords.mjs", import.meta.url).href;

/** The first start creates the database. */
const START_TIMEOUT_MS = 60_000;

const run = promisify(execFile);

export const PASSWORD = "a long passphrase";

export interface TestManager {
  id: number;
  username: string;
}

/** The name of the positional argument in operator commands. */
const POSITIONAL: Readonly<Record<string, string>> = {
  "manager grant": "username",
  "ownership backdate": "serialNumber",
  "session revoke": "username",
};

const camelCase = (option: string) => option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A running service with its people and devices. */
export class TestService {
  /** The address with a trailing slash. */
  address: string;
  readonly dataDir: string;
  readonly #ids = new Map<string, number>();

  constructor(at: { address: string; dataDir: string }) {
    this.address = at.address;
    this.dataDir = at.dataDir;
  }

  /** Returns the id of an account that was registered with this object. */
  idOf(username: string): number {
    const id = this.#ids.get(username);
    if (id === undefined) throw new Error(`${username} was not registered here.`);
    return id;
  }

  /** Runs a command of the operator, as on the command line. */
  async command(...args: string[]): Promise<unknown> {
    const name = args.slice(0, 2).join(" ");
    const values: Record<string, string> = {};
    for (let i = 2; i < args.length; i++) {
      const [, option] = /^--(.+)$/.exec(args[i] ?? "") ?? [];
      if (option !== undefined) i += 1;
      values[camelCase(option ?? POSITIONAL[name] ?? "")] = args[i] ?? "";
    }
    // uses the same function that the running service calls for the program
    return runOnServer(this.dataDir, name as CommandName, values, "tests");
  }

  addDevice(serial: string, name = "tracker"): Promise<unknown> {
    const names = ["--device-name", name, "--device-type", "T1"];
    return this.command("device", "add", "--serial-number", serial, ...names);
  }

  /** Returns the texts of the emails to a user. A service without a mail server writes them into a folder. */
  mailsTo(username: string): string[] {
    const folder = join(this.dataDir, "mail");
    if (!existsSync(folder)) return [];
    // unfinished files have different names
    const names = readdirSync(folder).filter((name) => name.endsWith(".eml"));
    const mails = names.map((name) => readFileSync(join(folder, name), "utf8"));
    return mails
      .filter((mail) => mail.includes(`To: ${username}@example.org`))
      .map((mail) => (/^Content-Transfer-Encoding: quoted-printable/im.test(mail) ? unquoted(mail) : mail));
  }

  /** Creates an application and returns its token. */
  async tokenOf(username: string): Promise<string> {
    const app = (await this.command("app", "create", "--name", username)) as {
      client_id: string;
      client_secret: string;
    };
    const at = { baseUrl: this.address };
    return (await obtainToken(at, { ...app, username, password: PASSWORD })).access_token;
  }

  /** Returns a client with its own token. */
  async clientOf(username: string): Promise<Client> {
    return createClient({ baseUrl: this.address, token: await this.tokenOf(username) });
  }

  /** Registers a manager. */
  async manager(username: string): Promise<TestManager> {
    const client = createClient({ baseUrl: this.address });
    const body = { username, email: `${username}@example.org`, password: PASSWORD };
    const { id } = await unwrap(client.POST("/api/v1/managers/", { body }));
    this.#ids.set(username, id);
    return { id, username };
  }

  /** Registers an athlete. */
  async athlete(username: string, profile: object = {}): Promise<TestManager> {
    const client = createClient({ baseUrl: this.address });
    const body = { username, email: `${username}@example.org`, password: PASSWORD, athlete_profile: profile };
    const { id } = await unwrap(client.POST("/api/v1/athletes/", { body }));
    this.#ids.set(username, id);
    return { id, username };
  }
}

/** Starts the built service with the built page, as a separate process with the embedded database. */
export class BuiltService extends TestService {
  readonly #env: Record<string, string>;
  #process: ChildProcess | null = null;

  /** @param settings environment variables of the service */
  constructor(settings: Record<string, string> = {}) {
    const dataDir = join(mkdtempSync(join(tmpdir(), "asi-web-test-")), "data");
    super({ address: "", dataDir });
    this.#env = {
      PATH: process.env.PATH ?? "",
      DATA_DIR: dataDir,
      PORT: "0",
      METRICS_PORT: "0",
      LOG_LEVEL: "warn",
      ...settings,
    };
  }

  async start(): Promise<void> {
    if (!existsSync(MAIN)) throw new Error("The service is not built: run npm run build -w server.");
    const child = spawn(process.execPath, ["--import", QUICK_PASSWORDS, MAIN], { env: this.#env });
    this.#process = child;
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`does not listen: ${output}`)), START_TIMEOUT_MS);
      const read = (chunk: Buffer) => {
        output += chunk;
        const found = /listens on (http:\S+);/.exec(output)?.[1];
        if (found === undefined) return;
        clearTimeout(late);
        resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
    this.address = `${url}/`;
  }

  override async command(...args: string[]): Promise<unknown> {
    const outcome = await super.command(...args);
    if (outcome !== undefined) return outcome;
    // with PostgreSQL, the program runs the command itself
    const { stdout } = await run(process.execPath, [MAIN, ...args, "--json"], { env: this.#env });
    return JSON.parse(stdout);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child !== null && child.exitCode === null) {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await exited;
    }
    rmSync(dirname(this.dataDir), { recursive: true, force: true });
  }
}

/** Decodes quoted-printable text. Lines that end with "=" continue (RFC 2045 section 6.7). */
const unquoted = (mail: string) =>
  mail
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Fills in the sign-in form. */
export async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

/** Waits until the page of a signed-in user shows a view. */
export async function showView(page: Page, hash: string, heading: string | RegExp): Promise<void> {
  await page.evaluate((wanted) => {
    location.hash = wanted;
  }, hash);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}
