import { reportStart } from "../domain/bluetooth/report-start.js";
import type { Context } from "../domain/context.js";
import { deleteAccount } from "../domain/deletion/account.js";
import { addDevices } from "../domain/devices/add.js";
import { errors } from "../domain/errors.js";
import { grantManagedAthletes } from "../domain/managers/grant.js";
import { backdateOwnership } from "../domain/ownerships/backdate.js";
import { createApplication } from "../oauth/applications.js";
import { listSessions, revokeApplication, revokeSessions } from "../oauth/sessions.js";
import { backup } from "../store/backup.js";
import type { Database } from "../store/database.js";
import { parseDateTime } from "../wire/date-time.js";
import { readDevices } from "./device-csv.js";

/** The context of a command. */
export interface OperatorContext extends Context {
  database: Database;
}

/** Arguments of a command as the command line passes them. */
export type Arguments = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The result of a command as JSON; the command line can also print it as lines. */
export type Outcome = Record<string, unknown>;

const text = (args: Arguments, name: string): string => {
  const value = args[name];
  if (typeof value !== "string") throw errors.field(name, "This field is required.");
  return value;
};

const optionalText = (args: Arguments, name: string) =>
  args[name] === undefined ? undefined : text(args, name);

/**
 * The operator's commands. They run in the server process when it holds the embedded database, otherwise in their own
 * process.
 */
export const commands = {
  async "app create"(ctx: Context, args: Arguments): Promise<Outcome> {
    const redirectUris = args.redirectUri === undefined ? [] : [args.redirectUri].flat();
    const { clientId, clientSecret } = await createApplication(ctx, {
      name: text(args, "name"),
      redirectUris,
    });
    return { client_id: clientId, client_secret: clientSecret };
  },

  async "app revoke"(ctx: Context, args: Arguments): Promise<Outcome> {
    const { name, revokedAt, sessions } = await revokeApplication(ctx, text(args, "clientId"));
    return { name, revoked: revokedAt.toISOString(), sessions_ended: sessions };
  },

  async "device add"(ctx: Context, args: Arguments): Promise<Outcome> {
    const [device] = await addDevices(ctx, [
      {
        serialNumber: text(args, "serialNumber"),
        deviceName: text(args, "deviceName"),
        deviceType: text(args, "deviceType"),
      },
    ]);
    return { id: device?.id, serial_number: device?.serialNumber };
  },

  async "device import"(ctx: Context, args: Arguments): Promise<Outcome> {
    const added = await addDevices(ctx, await readDevices(text(args, "csv")));
    return { added: added.length };
  },

  async "device report-start"(ctx: Context, args: Arguments): Promise<Outcome> {
    const version = optionalText(args, "configVersion");
    if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version)) {
      throw errors.field("config-version", "A valid integer is required.");
    }
    const { serialNumber, current } = await reportStart(ctx, {
      serialNumber: text(args, "serialNumber"),
      configurationVersion: version === undefined ? undefined : Number(version),
      firmwareVersion: optionalText(args, "firmwareVersion"),
    });
    return { serial_number: serialNumber, current };
  },

  async "ownership backdate"(ctx: Context, args: Arguments): Promise<Outcome> {
    const start = new Date(parseDateTime(text(args, "start")) ?? Number.NaN);
    const { device, ownership } = await backdateOwnership(ctx, text(args, "serialNumber"), start);
    return {
      serial_number: device.serialNumber,
      manager: ownership.managerId,
      start_time: ownership.startTime.toISOString(),
    };
  },

  async "manager grant"(ctx: Context, args: Arguments): Promise<Outcome> {
    const { username } = await grantManagedAthletes(ctx, text(args, "username"));
    return { username, extra_permissions: ["can_create_managed_athletes"] };
  },

  async "account delete"(ctx: Context, args: Arguments): Promise<Outcome> {
    const { id, role } = await deleteAccount(ctx, text(args, "username"));
    return { account: id, role, deleted: true };
  },

  async "token list"(ctx: Context, args: Arguments): Promise<Outcome> {
    const { username, sessions } = await listSessions(ctx, text(args, "username"));
    return {
      username,
      sessions: sessions.map((session) => ({
        id: session.id,
        application: session.application,
        client_id: session.clientId,
        issued: session.issuedAt.toISOString(),
        last_used: session.lastUsedAt.toISOString(),
        access_tokens: session.accessTokens,
      })),
    };
  },

  async "token revoke"(ctx: Context, args: Arguments): Promise<Outcome> {
    const id = optionalText(args, "id");
    if (id !== undefined && !/^[1-9]\d{0,14}$/.test(id))
      throw errors.field("id", "A valid integer is required.");
    const username = await revokeSessions(
      ctx,
      text(args, "username"),
      id === undefined ? undefined : Number(id),
    );
    return { username, ...(id === undefined ? {} : { id: Number(id) }), tokens: "revoked" };
  },

  async backup(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
    const file = text(args, "file");
    return { file, rows: await backup(ctx.database, file, ctx.config.dataDir) };
  },
} satisfies Record<string, (ctx: OperatorContext, args: Arguments) => Promise<Outcome>>;

export type CommandName = keyof typeof commands;

export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);
