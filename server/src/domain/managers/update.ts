import type { StaticDecode } from "@sinclair/typebox";
import type { Account } from "../accounts/find.js";
import { managerProfileColumns, requireAvailable, updateAccount } from "../accounts/write.js";
import { change, requireTag } from "../change.js";
import type { Context } from "../context.js";
import { changedPasswordHash, hashPassword } from "../passwords.js";
import type { ManagerUpdate } from "./bodies.js";
import { managerItem } from "./retrieve.js";

const view = async (_unit: unknown, account: Account) => managerItem(account);

/** Changes the fields sent. The current password changes nothing. */
export async function updateManager(
  ctx: Context,
  manager: Account,
  body: StaticDecode<typeof ManagerUpdate>,
) {
  if (body.password !== undefined) {
    requireTag(ctx, managerItem(manager));
    await requireAvailable(
      ctx,
      "MANAGER",
      { username: body.username, externalId: body.external_id },
      manager,
    );
  }
  const passwordHash = await changedPasswordHash(
    ctx,
    manager.passwordHash,
    body.password,
    body.username ?? manager.username,
  );
  return change(
    ctx,
    "updateManager",
    { manager: manager.id },
    async (unit, before) =>
      managerItem(
        await updateAccount(unit, before, {
          username: body.username,
          email: body.email,
          externalId: body.external_id,
          passwordHash,
          ...managerProfileColumns(body.manager_profile),
        }),
      ),
    view,
  );
}

/** Sets a new password and ends every session. */
export async function changeManagerPassword(ctx: Context, manager: Account, password: string): Promise<void> {
  const passwordHash = await hashPassword(ctx, password, manager.username);
  await change(ctx, "changeManagerPassword", { manager: manager.id }, async (unit, before) => {
    await updateAccount(unit, before, { passwordHash });
  });
}
