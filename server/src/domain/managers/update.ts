import type { StaticDecode } from "@sinclair/typebox";
import type { Account } from "../accounts/find.js";
import { prepareUpdate } from "../accounts/own-account.js";
import { managerProfileColumns, updateAccount } from "../accounts/write.js";
import { change, requireTag } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { ManagerUpdate } from "./bodies.js";
import { managerItem } from "./retrieve.js";

/** Changes the fields sent. */
export async function updateManager(
  ctx: Context,
  manager: Account,
  body: StaticDecode<typeof ManagerUpdate>,
) {
  if (body.password !== undefined) requireTag(ctx, managerItem(manager));
  const columns = await prepareUpdate(ctx, manager, body);
  return change(
    ctx,
    "updateManager",
    { manager: manager.id },
    async (unit, before) =>
      managerItem(
        await updateAccount(unit, before, { ...columns, ...managerProfileColumns(body.manager_profile) }),
      ),
    async (_unit, target) => managerItem(target),
  );
}
