import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { and, eq } from "drizzle-orm";
import type { Context } from "../../domain/change/context.js";
import { isPassword } from "../../domain/secrets/passwords.js";
import { accounts } from "../../store/schema.js";

const DemoDevice = Type.Object({
  id: Type.Integer(),
  serialNumber: Type.String(),
  deviceName: Type.String(),
});

/** Data of the demonstration, and the credentials of its account. */
const DemoAccount = Type.Object({
  managerId: Type.Integer(),
  username: Type.String(),
  password: Type.String(),
  clientId: Type.String(),
  clientSecret: Type.String(),
  /** Two devices of the manager, and one that initially has no owner. */
  devices: Type.Tuple([DemoDevice, DemoDevice, DemoDevice]),
});
export type DemoAccount = Static<typeof DemoAccount>;

/** Returns the path of the file with the account of the demonstration. Only the user of the service can read the file. */
const fileOf = ({ config }: Context) => join(config.dataDir, "demo.json");

export async function rememberDemo(ctx: Context, demo: DemoAccount): Promise<void> {
  // The mode applies only to a new file.
  await rm(fileOf(ctx), { force: true });
  await writeFile(fileOf(ctx), JSON.stringify(demo, null, 2), { mode: 0o600, flag: "wx" });
}

/**
 * Returns the account of the demonstration of an earlier start, with its current username.
 * @returns null if it no longer exists; `hasPassword` is false if the user has set another password
 */
export async function rememberedDemo(
  ctx: Context,
): Promise<{ demo: DemoAccount; hasPassword: boolean } | null> {
  const demo = await readDemo(ctx);
  if (demo === null) return null;
  const [account] = await ctx.queries
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, demo.managerId), eq(accounts.role, "MANAGER")));
  if (account === undefined || account.disabledAt !== null) return null;
  const hasPassword = await isPassword(demo.password, account.passwordHash);
  // In a restored or different database, the id may belong to a different account.
  if (!hasPassword && account.username !== demo.username) return null;
  return { demo: { ...demo, username: account.username }, hasPassword };
}

async function readDemo(ctx: Context): Promise<DemoAccount | null> {
  try {
    const found: unknown = JSON.parse(await readFile(fileOf(ctx), "utf8"));
    return Value.Check(DemoAccount, found) ? found : null;
  } catch {
    return null;
  }
}
