import type { StaticDecode } from "@sinclair/typebox";
import type { Account } from "../accounts/find.js";
import { managerProfileColumns, sent, updateAccount } from "../accounts/store.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { hashPassword } from "../passwords.js";
import type { ManagerReplacement, ManagerUpdate } from "./bodies.js";
import { managerItem } from "./retrieve.js";

const view = async (_change: unknown, account: Account) => managerItem(account);

/** Changes the fields sent. */
export async function updateManager(
  ctx: Context,
  manager: Account,
  body: StaticDecode<typeof ManagerUpdate>,
) {
  const passwordHash =
    body.password === undefined
      ? undefined
      : await hashPassword(body.password, body.username ?? manager.username);
  return change(
    ctx,
    "updateManager",
    { manager: manager.id },
    async (change, before) =>
      managerItem(
        await updateAccount(change, before, {
          ...sent({ username: body.username, email: body.email, externalId: body.external_id, passwordHash }),
          ...managerProfileColumns(body.manager_profile),
        }),
      ),
    view,
  );
}

/** Changes every field: what was not sent becomes null. The password, which no one can read back, stays. */
export const replaceManager = (
  ctx: Context,
  manager: Account,
  body: StaticDecode<typeof ManagerReplacement>,
) =>
  updateManager(ctx, manager, {
    external_id: null,
    ...body,
    manager_profile: { first_name: null, last_name: null, ...body.manager_profile },
  });

/** Sets a new password and ends every session. */
export async function changeManagerPassword(ctx: Context, manager: Account, password: string): Promise<void> {
  const passwordHash = await hashPassword(password, manager.username);
  await change(ctx, "changeManagerPassword", { manager: manager.id }, async (change, before) => {
    await updateAccount(change, before, { passwordHash });
  });
}
