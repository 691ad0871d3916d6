import { and, eq } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { deletePermissions } from "./remove.js";

/** Revokes all permissions of the manager on the athlete, if any. */
export const revokePermissions = (ctx: Context, athlete: number, manager: number): Promise<void> =>
  change(ctx, "revokePermissions", { athlete, manager }, (unit) =>
    deletePermissions(unit, and(eq(permissions.athleteId, athlete), eq(permissions.managerId, manager))),
  );

/** Revokes one permission of the manager. */
export const revokePermission = (
  ctx: Context,
  ids: { athlete: number; manager: number; permission: number },
): Promise<void> =>
  change(ctx, "revokePermission", ids, (unit, { id }) => deletePermissions(unit, eq(permissions.id, id)));
