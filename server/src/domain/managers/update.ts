import type { StaticDecode } from "@sinclair/typebox";
import type { Account } from "../accounts/find.js";
import { changeOwnAccount, prepareUpdate } from "../accounts/own-account.js";
import { managerProfileColumns, updateAccount } from "../accounts/write.js";
import { change, requireTag } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { ManagerUpdate } from "./bodies.js";
import { managerItem } from "./retrieve.js";

/** Changes the fields sent. */
export async function updateManager(ctx: Context, target: Account, body: StaticDecode<typeof ManagerUpdate>) {
  return changeOwnAccount(ctx, target, async (manager, requireSame) => {
    if (body.password !== undefined) requireTag(ctx, managerItem(manager));
    const { columns, isMailed } = await prepareUpdate(ctx, manager, body);
    return change(
      ctx,
      "updateManager",
      { manager: manager.id },
      async (unit, before) => {
        requireSame(before);
        const profile = managerProfileColumns(body.manager_profile);
        return managerItem(await updateAccount(unit, before, { ...columns, ...profile }, isMailed));
      },
      async (_unit, before) => managerItem(before),
    );
  });
}
