import { checkServerKey, openingServerKeys } from "../domain/secrets/secrets.js";
import { backup } from "../store/backup/backup.js";
import { erasureListNames, erasureListOf } from "../store/backup/erasure-list.js";
import { namingAway } from "../store/sample-servers/away.js";
import { accountCommands } from "./commands/accounts.js";
import { applicationCommands } from "./commands/applications.js";
import { type Arguments, text } from "./commands/arguments.js";
import { auditCommands } from "./commands/audit.js";
import { deviceCommands } from "./commands/devices.js";
import { keyCommands } from "./commands/keys.js";
import type { OperatorContext, Outcome } from "./commands/outcome.js";
import { personalDataCommands } from "./commands/personal-data.js";
import { sampleServerCommands } from "./commands/sample-servers.js";
import { workCommands } from "./commands/work.js";

export type { Arguments, OperatorContext, Outcome };

/** Operator commands. They run in the server process if it uses the embedded database, otherwise in their own process. */
export const commands = {
  ...applicationCommands,
  ...accountCommands,
  ...deviceCommands,
  ...workCommands,
  ...personalDataCommands,
  ...keyCommands,
  ...auditCommands,
  ...sampleServerCommands,

  async backup(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
    const file = text(args, "file");
    const warning = await checkServerKey(ctx, ctx.queries);
    // The restore of a backup without a key does not ask for a key that cannot decrypt its secrets.
    const serverKeys = warning?.isWrong ? [] : await openingServerKeys(ctx, ctx.queries);
    const erasureLists = await erasureListNames(erasureListOf(ctx.config));
    const rows = await namingAway(
      ctx.database,
      "the backup would lack its samples. No file was written",
      () => backup(ctx.database, file, ctx.config.dataDir, { serverKeys, erasureLists }),
    );
    return { file, rows, server_keys: serverKeys, ...(warning === undefined ? {} : { next: warning.text }) };
  },
} satisfies Record<string, (ctx: OperatorContext, args: Arguments) => Promise<Outcome>>;

export type CommandName = keyof typeof commands;

export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);
