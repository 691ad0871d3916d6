import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { readConfig } from "../config/config.js";
import { UsageError } from "../config/usage-error.js";
import type { Arguments, CommandName, Outcome } from "../operator/commands.js";
import { runOnServer } from "../operator/socket-client.js";

/** Commands that need the database and the web framework, loaded only on demand. */
export const inProcess = () => import("../process/in-process.js");

/** Returns the user of the operating system who runs the command, and the original user before sudo. */
function operatorName(): string {
  const user = (() => {
    try {
      return userInfo().username;
    } catch {
      // The user has no entry in the password database, as in containers.
      return `uid ${process.getuid?.()}`;
    }
  })();
  const by = process.env.SUDO_USER;
  return (by === undefined ? user : `${by} (as ${user})`).replace(/\p{C}/gu, "?").slice(0, 100);
}

/** Runs a command in the server that uses the embedded database, or otherwise in this process. */
export async function run(name: CommandName, given: Arguments): Promise<Outcome> {
  const config = readConfig(process.env);
  const args = withFile(name, given);
  const operator = operatorName();
  if (config.databaseUrl === null) {
    const outcome = await runOnServer(config.dataDir, name, args, operator);
    if (outcome !== undefined) return outcome;
  }
  return (await inProcess()).withCommands(config, operator, (run) => run(name, args));
}

type Items = readonly Record<string, unknown>[];

/**
 * Runs a list command in parts, to limit the memory used here and in the server.
 * @param use receives the items of a part, and returns whether to continue
 */
export async function runList(
  name: CommandName,
  args: Arguments,
  use: (items: Items) => Promise<boolean>,
): Promise<void> {
  const config = readConfig(process.env);
  const operator = operatorName();
  const readAll = async (read: (args: Arguments) => Promise<Outcome>, first?: Outcome) => {
    let part = first ?? (await read(args));
    while ((await use(part.items as Items)) && part.next !== null) {
      part = await read({ ...args, after: String(part.next) });
    }
  };
  if (config.databaseUrl === null) {
    const onServer = (args: Arguments) => runOnServer(config.dataDir, name, args, operator);
    const first = await onServer(args);
    if (first !== undefined) {
      return readAll(async (args) => {
        const part = await onServer(args);
        if (part === undefined) throw new UsageError("The server has stopped; the list is not complete.");
        return part;
      }, first);
    }
  }
  await (await inProcess()).withCommands(config, operator, (run) => readAll((args) => run(name, args)));
}

/** Resolves file names in the working directory of the operator, because the server has a different one. */
function withFile(name: CommandName, args: Arguments): Arguments {
  const paths = ["file", "output", "list", "newKey", "servers"].flatMap((option) => {
    const path = args[option];
    return typeof path === "string" ? [[option, resolve(path)]] : [];
  });
  const { file, ...resolved } = { ...args, ...Object.fromEntries(paths) };
  return name === "device import" ? { ...resolved, csv: contentOf(file) } : { ...resolved, file };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
