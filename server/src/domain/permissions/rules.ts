import { and, eq } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import { type Account, findAccount } from "../accounts/find.js";
import { thatAthlete } from "../accounts/rules.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export type Permission = typeof permissions.$inferSelect;

/** An athlete and a manager. */
export interface AthleteAndManager {
  athlete: Account;
  manager: Account;
}

export const thatAthleteAndManager: Rule<"athlete" | "manager", AthleteAndManager> = {
  ...thatAthlete,
  async find(ctx, ids, lookup) {
    const athlete = await thatAthlete.find(ctx, ids, lookup);
    return { athlete, manager: await findAccount("MANAGER", ids.manager, { ...lookup, lock: false }) };
  },
};

export const thatAthletesPermission: Rule<"athlete" | "manager" | "permission", Permission> = {
  ...thatAthlete,
  async find(ctx, ids, lookup) {
    const { athlete, manager } = await thatAthleteAndManager.find(ctx, ids, lookup);
    const [permission] = await lookup.queries
      .select()
      .from(permissions)
      .where(
        and(
          eq(permissions.id, ids.permission),
          eq(permissions.athleteId, athlete.id),
          eq(permissions.managerId, manager.id),
        ),
      );
    if (permission === undefined) throw errors.notFound();
    return permission;
  },
};
