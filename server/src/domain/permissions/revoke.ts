import { and, eq } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { removePermissions } from "./remove.js";

/** Takes from the manager every permission on the athlete, if there are any. */
export const revokePermissions = (ctx: Context, athlete: number, manager: number): Promise<void> =>
  change(ctx, "revokePermissions", { athlete, manager }, (unit) =>
    removePermissions(unit, and(eq(permissions.athleteId, athlete), eq(permissions.managerId, manager))),
  );

/** Takes one permission from the manager. */
export const revokePermission = (
  ctx: Context,
  ids: { athlete: number; manager: number; permission: number },
): Promise<void> =>
  change(ctx, "revokePermission", ids, (unit, { id }) => removePermissions(unit, eq(permissions.id, id)));
