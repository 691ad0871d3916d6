import { eq } from "drizzle-orm";
import { parseString } from "fast-csv";
import { usernameKey } from "../domain/accounts/usernames.js";
import { revokeTokens, updateAccount } from "../domain/accounts/write.js";
import { reportStart } from "../domain/bluetooth/report-start.js";
import { transact } from "../domain/change.js";
import type { Context } from "../domain/context.js";
import { deleteAccount } from "../domain/deletion/account.js";
import { addDevices } from "../domain/devices/add.js";
import { errors } from "../domain/errors.js";
import { backdateOwnership } from "../domain/ownerships/backdate.js";
import type { UnitOfWork } from "../domain/unit-of-work.js";
import { createApplication } from "../oauth/applications.js";
import { listSessions, revokeApplication, revokeSession } from "../oauth/sessions.js";
import { backup } from "../store/backup.js";
import type { Database } from "../store/database.js";
import { accounts } from "../store/schema.js";
import { parseDateTime } from "../wire/date-time.js";

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

async function findUser({ queries }: UnitOfWork, username: string) {
  const [account] = await queries
    .select()
    .from(accounts)
    .where(eq(accounts.usernameKey, usernameKey(username)))
    .for("update");
  if (account === undefined) throw errors.notFound(`There is no account ${username}.`);
  return account;
}

const DEVICE_COLUMNS = ["serial_number", "device_name", "device_type"];

async function readDevices(csv: string) {
  const rows: Record<string, string>[] = [];
  let columns: readonly (string | null | undefined)[] = [];
  await new Promise<void>((resolve, reject) => {
    parseString<Record<string, string>, Record<string, string>>(csv, {
      headers: true,
      trim: true,
      ignoreEmpty: true,
    })
      .on("error", reject)
      .on("headers", (names) => {
        columns = names;
      })
      .on("data", (row: Record<string, string>) => rows.push(row))
      .on("end", () => resolve());
  });
  if (!DEVICE_COLUMNS.every((name) => columns.includes(name))) {
    throw errors.field("file", `Expected a first line with the columns ${DEVICE_COLUMNS.join(", ")}.`);
  }
  return rows.map(({ serial_number = "", device_name = "", device_type = "" }) => {
    return { serialNumber: serial_number, deviceName: device_name, deviceType: device_type };
  });
}

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
    return transact(ctx, "manager grant", async (unit) => {
      const account = await findUser(unit, text(args, "username"));
      if (account.role !== "MANAGER") throw errors.field("username", "The account is not a manager's.");
      await updateAccount(unit, account, { canCreateManagedAthletes: true });
      return { username: account.username, extra_permissions: ["can_create_managed_athletes"] };
    });
  },

  async "account delete"(ctx: Context, args: Arguments): Promise<Outcome> {
    const { id, role } = await deleteAccount(ctx, text(args, "username"));
    return { account: id, role, deleted: true };
  },

  async "token list"(ctx: Context, args: Arguments): Promise<Outcome> {
    return transact(ctx, "token list", async (unit) => {
      const account = await findUser(unit, text(args, "username"));
      const sessions = await listSessions(unit.queries, account.id, unit.now);
      return {
        username: account.username,
        sessions: sessions.map((session) => ({
          id: session.id,
          application: session.application,
          client_id: session.clientId,
          issued: session.issuedAt.toISOString(),
          last_used: session.lastUsedAt.toISOString(),
          access_tokens: session.accessTokens,
        })),
      };
    });
  },

  async "token revoke"(ctx: Context, args: Arguments): Promise<Outcome> {
    return transact(ctx, "token revoke", async (unit) => {
      const account = await findUser(unit, text(args, "username"));
      const id = optionalText(args, "id");
      if (id !== undefined) {
        if (!/^[1-9]\d{0,14}$/.test(id)) throw errors.field("id", "A valid integer is required.");
        await revokeSession(unit, account.id, Number(id));
        return { username: account.username, id: Number(id), tokens: "revoked" };
      }
      await revokeTokens(unit, account.id);
      await unit.audit("account", account.id, null, { tokens: "revoked" });
      return { username: account.username, tokens: "revoked" };
    });
  },

  async backup(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
    const file = text(args, "file");
    return { file, rows: await backup(ctx.database, file, ctx.config.dataDir) };
  },
} satisfies Record<string, (ctx: OperatorContext, args: Arguments) => Promise<Outcome>>;

export type CommandName = keyof typeof commands;

export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);
