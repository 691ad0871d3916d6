import type { Context } from "../change/context.js";
import { errors, ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { readableSquad, type SeenSquad } from "./rules.js";
import { lockRole, mayEdit } from "./view.js";

/**
 * Returns the squad named in a body, if the caller can edit it. Locks it and the role of the caller until the end of the
 * transaction.
 * @throws ServiceError `invalid`
 */
export async function lockEditableSquad(
  ctx: Context,
  { queries }: UnitOfWork,
  squad: number,
): Promise<SeenSquad> {
  await lockRole(queries, ctx, squad);
  const found = await readableSquad.find(ctx, { squad }, { queries, lock: true }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === "not_found") return undefined;
    throw error;
  });
  if (found === undefined || !mayEdit(found.view))
    throw errors.field("squad", "You have no squad with this id.");
  return found;
}
