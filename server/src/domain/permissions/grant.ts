import type { StaticDecode } from "@sinclair/typebox";
import { permissions } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors, type FieldErrors } from "../change/errors.js";
import { enforcePermissionQuota } from "../change/quotas.js";
import { type NewPermission, toPermission } from "./resource.js";
import { enforceStrangerQuota } from "./strangers.js";

type Wanted = StaticDecode<typeof NewPermission>;

const TOO_EARLY: FieldErrors = { expiration_time: ["Must be after start_time."] };

const isEmpty = ({ start_time, expiration_time }: Wanted) => expiration_time <= start_time;

/** Grants the manager one permission. */
export async function createPermission(ctx: Context, athlete: number, manager: number, wanted: Wanted) {
  if (isEmpty(wanted)) throw errors.invalid(TOO_EARLY);
  return create(ctx, athlete, manager, [wanted], ([created]) => {
    if (created === undefined) throw new Error("The permission was not inserted");
    return created;
  });
}

/** Grants the manager several permissions, or none if one of them is refused. */
export async function createPermissions(ctx: Context, athlete: number, manager: number, wanted: Wanted[]) {
  const refused = wanted.flatMap((one, i) => (isEmpty(one) ? [[String(i), TOO_EARLY] as const] : []));
  if (refused.length > 0) throw errors.invalid(Object.fromEntries(refused));
  return create(ctx, athlete, manager, wanted, (created) => created);
}

type Created = ReturnType<typeof toPermission>;

function create<T extends object>(
  ctx: Context,
  athlete: number,
  manager: number,
  wanted: Wanted[],
  resultOf: (created: Created[]) => T,
): Promise<T> {
  return change(ctx, "createPermissions", { athlete, manager }, async (unit) => {
    const { queries, now, announce } = unit;
    const rows = await queries
      .insert(permissions)
      .values(
        wanted.map(({ start_time, expiration_time, permission }) => ({
          athleteId: athlete,
          managerId: manager,
          startTime: start_time,
          expirationTime: expiration_time,
          permission,
        })),
      )
      .returning();
    await enforcePermissionQuota(unit, athlete);
    await enforceStrangerQuota(unit, { athleteId: athlete, managerId: manager, added: rows.length });
    await announce("permissionsGranted", { granted: rows });
    return resultOf(rows.map((row) => toPermission(row, now)));
  });
}
