import type { StaticDecode } from "@sinclair/typebox";
import { requireUser } from "../accounts/credential-changes.js";
import type { Account } from "../accounts/find.js";
import type { NewPassword } from "../accounts/resource.js";
import { managerProfileColumns, requireAvailable, updateAccount } from "../accounts/write.js";
import { change, requireTag } from "../change/change.js";
import type { Context } from "../change/context.js";
import { changedPasswordHash, hashPassword } from "../secrets/passwords.js";
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
  await requireUser(ctx, manager, body);
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
export async function changeManagerPassword(
  ctx: Context,
  manager: Account,
  { password, current_password }: StaticDecode<typeof NewPassword>,
): Promise<void> {
  await requireUser(ctx, manager, { password, current_password });
  const passwordHash = await hashPassword(ctx, password, manager.username);
  await change(ctx, "changeManagerPassword", { manager: manager.id }, async (unit, before) => {
    await updateAccount(unit, before, { passwordHash });
  });
}
