import { Command, CommanderError, Option } from "commander";
import { type Config, describeConfig, readConfig } from "../config/config.js";
import type { ServiceRole } from "../process/service.js";
import { printCopiedSize } from "./copied-size.js";
import { print } from "./print.js";
import { inProcess, run } from "./run.js";
import { guarded, WRONG_USE, yesOption } from "./verb.js";
import { addVerbs } from "./verbs.js";

/** Usernames, serial numbers and old client ids may begin with "-". */
const DASHED_VALUE = 'Write -- after all options and before a value that begins with "-".';

/** Creates the command line `asi-server`. */
export function program(): Command {
  const root = new Command("asi-server")
    .description("The sports tracking device data service")
    .exitOverride((error) => {
      if (error.code === "commander.unknownOption") console.error(DASHED_VALUE);
      throw error;
    })
    .addHelpText(
      "after",
      "\nExit status: 0 success, 1 refused or failed, 2 usage error. Without a command, the service starts.",
    );

  root
    .command("serve")
    .description("start the service")
    .addOption(
      new Option("--role <role>", "part of the service").choices(["api", "worker", "all"]).default("all"),
    )
    .option("--demo", "add a manager, an application and three devices, and print how to use them")
    .addOption(yesOption())
    .action(guarded(({ role, demo }: { role: ServiceRole; demo?: boolean }) => start(role, demo ?? false)));

  root
    .command("config")
    .description("list every setting, its default and its value")
    .option("--json", "print JSON")
    .addOption(yesOption())
    .action(guarded(async ({ json }: { json?: boolean }) => listConfig(json ?? false)));

  addVerbs(root);

  root
    .command("migrate")
    .description("update the schema of the database, as every start of the service does")
    .option("--json", "print JSON")
    .addOption(yesOption())
    .action(
      guarded(async ({ json }: { json?: boolean }) =>
        print(await (await inProcess()).migrateOnly(readConfig(process.env)), json ?? false),
      ),
    );
  root
    .command("backup <file>")
    .description("write all data to a new file; works while the service runs")
    .option("--verify", "only check whether an existing backup can be restored, and print its server key")
    .option("--json", "print JSON")
    .addOption(yesOption())
    .action(
      guarded(async (file: string, { verify, json }: { verify?: boolean; json?: boolean }) => {
        if (!verify) printCopiedSize(readConfig(process.env));
        print(verify ? await (await inProcess()).verify(file) : await run("backup", { file }), json ?? false);
      }),
    );
  root
    .command("restore <file>")
    .description(
      "replace all data with a backup, then repeat the erasures since the backup; stop the server first",
    )
    .option(
      "--without-erasures",
      "restore without the erasure list of the backup; this also restores accounts that were erased elsewhere since then",
    )
    .option("--json", "print JSON")
    .addOption(yesOption())
    .action(
      guarded(async (file: string, { json, ...options }: { json?: boolean; withoutErasures?: boolean }) =>
        print(await (await inProcess()).restoreFrom(readConfig(process.env), file, options), json ?? false),
      ),
    );
  return root;
}

/** Starts the service if there is no command. A default command would take a mistyped command as its argument. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const [first] = args;
  const isServe = first === undefined || (first.startsWith("-") && first !== "--help" && first !== "-h");
  // A reader such as `head` closes the pipe early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  try {
    await program().parseAsync(isServe ? ["serve", ...args] : args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The library has printed the error or the help.
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
  }
}

async function start(role: ServiceRole, demo: boolean): Promise<void> {
  const config = demo
    ? (await import("../process/demo/demo-settings.js")).demoConfig(
        process.env,
        process.stdout.isTTY === true,
      )
    : readConfig(process.env);
  // Start telemetry before the database module is loaded, because it records database statements.
  const telemetry = recordsTelemetry(config)
    ? (await import("../observability/telemetry/start.js")).startTelemetry(process.env, role)
    : undefined;
  await (await inProcess()).serve(config, role, demo, telemetry);
}

/**
 * Whether to record telemetry. Only the value "true" of OTEL_SDK_DISABLED, case-insensitive, disables it (OpenTelemetry,
 * "Environment Variable Specification").
 */
const recordsTelemetry = ({ otlpEndpoint }: Config) =>
  otlpEndpoint !== null && process.env.OTEL_SDK_DISABLED?.toLowerCase() !== "true";

function listConfig(json: boolean): void {
  const settings = describeConfig(process.env);
  if (json) console.log(JSON.stringify(settings, null, 2));
  else for (const { variable, value, about } of settings) console.log(`${variable}=${value}\n    ${about}`);
  readConfig(process.env);
}
