import { and, eq } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { listPage, orderBy, type Paging } from "../lists/listing.js";
import { toPermission } from "./resource.js";

/** Lists the permissions on an athlete, optionally only of one manager. */
export async function listPermissions(
  { queries, clock }: Context,
  athlete: number,
  manager: number | null,
  query: Paging,
) {
  const now = clock.now();
  const matching = queries
    .select()
    .from(permissions)
    .where(
      and(
        eq(permissions.athleteId, athlete),
        manager === null ? undefined : eq(permissions.managerId, manager),
      ),
    )
    .$dynamic();
  const order = orderBy(undefined, {}, permissions.id);
  return listPage(queries, matching, order, query, (row) => toPermission(row, now));
}
