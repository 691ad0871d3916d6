import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { ConfigError, describeConfig, readConfig } from "../config.js";
import { ServiceError } from "../domain/errors.js";
import { errorText } from "../error-record.js";
import type { ServiceRole } from "../service.js";
import { UsageError } from "../usage-error.js";
import type { Arguments, CommandName, Outcome } from "./commands.js";
import { CommandRefused, runOnServer } from "./socket-client.js";

/** The command line `asi-server`. */
export function program(): Command {
  const root = new Command("asi-server").description("The sports tracking device data service");

  root
    .command("serve")
    .description("start the service")
    .addOption(
      new Option("--role <role>", "part of the service").choices(["api", "worker", "all"]).default("all"),
    )
    .option("--demo", "add a manager, an application and two devices, and print how to use them")
    .action(guarded(({ role, demo }: { role: ServiceRole; demo?: boolean }) => start(role, demo ?? false)));

  root
    .command("config")
    .description("list every setting, its default and its value")
    .option("--json", "print JSON")
    .action(guarded(async ({ json }: { json?: boolean }) => listConfig(json ?? false)));

  const command = (parent: Command, signature: string, name: CommandName, about: string) =>
    parent
      .command(signature)
      .description(about)
      .option("--json", "print JSON")
      .action(
        guarded(async function (this: Command) {
          const { json, ...options } = this.opts<{ json?: boolean } & Record<string, string>>();
          const positional = Object.fromEntries(
            this.registeredArguments.map((argument, index) => [camel(argument.name()), this.args[index]]),
          );
          print(await run(name, { ...options, ...positional }), json ?? false);
        }),
      );

  const app = root.command("app").description("OAuth applications");
  command(app, "create", "app create", "create an application; its secret is printed once")
    .requiredOption("--name <name>", "name shown at login")
    .option("--redirect-uri <uri...>", "allow the deprecated authorization code flow to these addresses");
  command(app, "revoke <client-id>", "app revoke", "end an application, and every session with it");

  const device = root.command("device").description("devices");
  command(device, "add", "device add", "add a device")
    .requiredOption("--serial-number <serial>", "serial number, as in the device's recordings")
    .requiredOption("--device-name <name>", "device identifier")
    .requiredOption("--device-type <type>", "model name");
  command(
    device,
    "import <file>",
    "device import",
    "add devices from a CSV file: serial_number,device_name,device_type",
  );
  command(device, "report-start <serial-number>", "device report-start", "record that a device has started")
    .option("--config-version <n>", "the Bluetooth configuration that it received (default: the newest)")
    .option("--firmware-version <version>", "its firmware version");

  const ownership = root.command("ownership").description("device ownerships");
  command(
    ownership,
    "backdate <serial-number>",
    "ownership backdate",
    "move the start of an ownership back over time without an owner",
  ).requiredOption("--start <date-time>", "the new start");

  const manager = root.command("manager").description("managers");
  command(manager, "grant <username>", "manager grant", "let a manager create managed athletes");

  const account = root.command("account").description("accounts of managers and athletes");
  command(
    account,
    "delete <username>",
    "account delete",
    "delete an account, everything that belongs to it and all personal data; this cannot be undone",
  );

  const token = root.command("token").description("tokens");
  command(token, "list <username>", "token list", "list the sessions of a user, without their tokens");
  command(token, "revoke <username>", "token revoke", "end every session of a user").option(
    "--id <n>",
    "end only the session with this id from token list",
  );

  root
    .command("migrate")
    .description("bring the schema of the database up to date; starting the service does it too")
    .option("--json", "print JSON")
    .action(
      guarded(async ({ json }: { json?: boolean }) =>
        print(await (await inProcess()).migrateOnly(readConfig(process.env)), json ?? false),
      ),
    );
  root
    .command("backup <file>")
    .description("write all data to a new file; works while the service runs")
    .option("--verify", "only read an existing backup and check that it can be restored")
    .option("--json", "print JSON")
    .action(
      guarded(async (file: string, { verify, json }: { verify?: boolean; json?: boolean }) =>
        print(verify ? await (await inProcess()).verify(file) : await run("backup", { file }), json ?? false),
      ),
    );
  root
    .command("restore <file>")
    .description("replace all data with a backup; stop the server first")
    .option("--json", "print JSON")
    .action(
      guarded(async (file: string, { json }: { json?: boolean }) =>
        print(await (await inProcess()).restoreFrom(readConfig(process.env), file), json ?? false),
      ),
    );
  return root;
}

/** Starts the service when there is no command. (A default command would treat a mistyped command as its argument.) */
export async function runProgram(args: readonly string[]): Promise<void> {
  const [first] = args;
  const isServe = first === undefined || (first.startsWith("-") && first !== "--help" && first !== "-h");
  await program().parseAsync(isServe ? ["serve", ...args] : args, { from: "user" });
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The commands that need the database and the web framework, which are loaded only on demand. */
const inProcess = () => import("./in-process.js");

/** Runs a command in the server that holds the embedded database, or otherwise in this process. */
async function run(name: CommandName, given: Arguments): Promise<Outcome> {
  const config = readConfig(process.env);
  const args = withFile(name, given);
  if (config.databaseUrl === null) {
    const outcome = await runOnServer(config.dataDir, name, args);
    if (outcome !== undefined) return outcome;
  }
  return (await inProcess()).runInProcess(config, name, args);
}

async function start(role: ServiceRole, demo: boolean): Promise<void> {
  const config = readConfig(process.env);
  await (await inProcess()).serve(config, role, demo);
}

/** File names are relative to the operator's working directory, not the server's. */
function withFile(name: CommandName, args: Arguments): Arguments {
  if (typeof args.file !== "string") return args;
  const file = resolve(args.file);
  return name === "device import" ? { ...args, csv: contentOf(file) } : { ...args, file };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function listConfig(json: boolean): void {
  const settings = describeConfig(process.env);
  if (json) console.log(JSON.stringify(settings, null, 2));
  else for (const { variable, value, about } of settings) console.log(`${variable}=${value}\n    ${about}`);
  readConfig(process.env);
}

function print(outcome: Outcome, json: boolean): void {
  if (json) console.log(JSON.stringify(outcome));
  else for (const [name, value] of Object.entries(outcome)) console.log(`${name}: ${show(value)}`);
}

/** Prints each object of a list on a separate line. */
function show(value: unknown): string {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.some((entry) => typeof entry === "object" && entry !== null);
  return isList ? value.map((entry) => `\n  ${JSON.stringify(entry)}`).join("") : JSON.stringify(value);
}

/** Prints an error that the operator can correct as text, and exits with status 1. */
function guarded<Args extends unknown[]>(action: (this: Command, ...args: Args) => Promise<void>) {
  return async function (this: Command, ...args: Args): Promise<void> {
    try {
      await action.apply(this, args);
    } catch (error) {
      const { json } = this.opts<{ json?: boolean }>();
      console.error(json ? JSON.stringify(bodyOf(error)) : reasonOf(error));
      process.exitCode = 1;
    }
  };
}

/** The error as JSON: the body of the refusal, or its text. */
const bodyOf = (error: unknown): unknown =>
  error instanceof ServiceError || error instanceof CommandRefused ? error.body : { detail: reasonOf(error) };

/** The messages in the body of an error, with the names of their fields. */
function messagesOf(body: unknown): string {
  if (Array.isArray(body)) return body.map(messagesOf).join(" ");
  if (typeof body !== "object" || body === null) return String(body);
  return Object.entries(body)
    .map(([name, value]) =>
      ["detail", "message", "non_field_errors"].includes(name)
        ? messagesOf(value)
        : `${name}: ${messagesOf(value)}`,
    )
    .join("\n");
}

function reasonOf(error: unknown): string {
  if (error instanceof ServiceError || error instanceof CommandRefused) return messagesOf(error.body);
  if (error instanceof ConfigError) return `The settings are invalid:\n${error.message}`;
  const known = error instanceof UsageError;
  if (error instanceof Error && known) return error.message;
  return errorText(error);
}
