import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Client, createClient, obtainToken, unwrap } from "asi-client";
import type { Page } from "playwright-core";

const MAIN = fileURLToPath(new URL("../../server/dist/main.js", import.meta.url));

/** A first start makes the database. */
const START_TIMEOUT_MS = 60_000;

const run = promisify(execFile);

export const PASSWORD = "a long passphrase";

export interface TestManager {
  id: number;
  username: string;
}

/** The built service with the built page, as a process of its own with the embedded database. */
export class BuiltService {
  readonly #folder = mkdtempSync(join(tmpdir(), "asi-web-test-"));
  #env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: join(this.#folder, "data"),
    PORT: "0",
    METRICS_PORT: "0",
    LOG_LEVEL: "warn",
  };
  #process: ChildProcess | null = null;
  /** With a slash at its end. */
  address = "";

  /** @param settings of the service, as in its environment */
  constructor(settings: Record<string, string> = {}) {
    Object.assign(this.#env, settings);
  }

  /** Starts the service, again at the same address. */
  async start(): Promise<void> {
    if (!existsSync(MAIN)) throw new Error("The service is not built: run npm run build -w server.");
    const child = spawn(process.execPath, [MAIN], { env: this.#env });
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
    this.#env = { ...this.#env, PORT: new URL(url).port };
  }

  /** Ends the service as its machine would that loses power. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a command of the operator's. */
  async command(...args: string[]): Promise<unknown> {
    const { stdout } = await run(process.execPath, [MAIN, ...args, "--json"], { env: this.#env });
    return JSON.parse(stdout);
  }

  addDevice(serial: string, name = "tracker"): Promise<unknown> {
    const names = ["--device-name", name, "--device-type", "T1"];
    return this.command("device", "add", "--serial-number", serial, ...names);
  }

  /** The texts of the mails to a user, which the service without a mail server writes into a folder. */
  mailsTo(username: string): string[] {
    const folder = join(this.#folder, "data", "mail");
    if (!existsSync(folder)) return [];
    const mails = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    return mails
      .filter((mail) => mail.includes(`To: ${username}@example.org`))
      .map((mail) => (/^Content-Transfer-Encoding: quoted-printable/im.test(mail) ? unquoted(mail) : mail));
  }

  /** A token of an application of its own. */
  async tokenOf(username: string): Promise<string> {
    const app = (await this.command("app", "create", "--name", username)) as {
      client_id: string;
      client_secret: string;
    };
    const at = { baseUrl: this.address };
    return (await obtainToken(at, { ...app, username, password: PASSWORD })).access_token;
  }

  /** A client with a token of its own. */
  async clientOf(username: string): Promise<Client> {
    return createClient({ baseUrl: this.address, token: await this.tokenOf(username) });
  }

  /** Registers a manager. */
  async manager(username: string): Promise<TestManager> {
    const client = createClient({ baseUrl: this.address });
    const body = { username, email: `${username}@example.org`, password: PASSWORD };
    const { id } = await unwrap(client.POST("/api/v1/managers/", { body }));
    return { id, username };
  }

  /** Registers an athlete. */
  async athlete(username: string, profile: object = {}): Promise<TestManager> {
    const client = createClient({ baseUrl: this.address });
    const body = { username, email: `${username}@example.org`, password: PASSWORD, athlete_profile: profile };
    const { id } = await unwrap(client.POST("/api/v1/athletes/", { body }));
    return { id, username };
  }
}

/** Undoes quoted-printable: lines that end with "=" go on (RFC 2045 section 6.7). */
const unquoted = (mail: string) =>
  mail
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Fills in the form that is shown. */
export async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

/** Waits until the signed-in half of the page is there and shows a view. */
export async function showView(page: Page, hash: string, heading: string | RegExp): Promise<void> {
  await page.evaluate((wanted) => {
    location.hash = wanted;
  }, hash);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
}
