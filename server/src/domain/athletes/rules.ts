import { type Account, findAthlete } from "../accounts/find.js";
import { thatAthlete } from "../accounts/rules.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { Lookup, Rule } from "../change/rule.js";
import { permittedNow } from "../permissions/coverage.js";

/** An athlete, and whether the caller acts as the manager of this managed athlete. */
export interface AthleteAndRole {
  athlete: Account;
  byManager: boolean;
}

const isManagerOf = ({ caller }: Context, athlete: Account) =>
  caller?.role === "MANAGER" && athlete.managedBy === caller.id;

/**
 * Checks that the caller is the athlete or has an active READ permission.
 * @throws ServiceError `forbidden`
 */
export async function requireReadable(ctx: Context, athlete: Account, lookup: Lookup): Promise<void> {
  const me = ctx.caller?.id ?? 0;
  if (athlete.id === me) return;
  const readable = await permittedNow(lookup.queries, me, "READ", [athlete.id], ctx.clock.now());
  if (!readable.has(athlete.id)) throw errors.forbidden();
}

export const managersWhoManage: Rule<never, undefined> = {
  description: "Managers who may create managed athletes",
  roles: ["MANAGER"],
  async find({ caller }) {
    if (!caller?.canCreateManagedAthletes) throw errors.forbidden();
    return undefined;
  },
};

export const readersOrThatAthlete: Rule<"athlete", Account> = {
  description: "Managers who currently have READ permission, and the athlete",
  roles: ["MANAGER", "ATHLETE"],
  async find(ctx, ids, lookup) {
    const athlete = await findAthlete(ids.athlete, lookup);
    await requireReadable(ctx, athlete, lookup);
    return athlete;
  },
};

export const athletesManager: Rule<"athlete", Account> = {
  description: "The manager of this athlete",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const athlete = await findAthlete(ids.athlete, lookup);
    if (!isManagerOf(ctx, athlete)) throw errors.forbidden();
    return athlete;
  },
};

export const athletesManagerWhoManages: Rule<"athlete", Account> = {
  description: "The manager of this athlete, who may create managed athletes, or whose default athlete it is",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const athlete = await athletesManager.find(ctx, ids, lookup);
    if (!ctx.caller?.canCreateManagedAthletes && !athlete.isDefaultAthlete) throw errors.forbidden();
    return athlete;
  },
};

/** Applies `thatAthlete` to athletes and the given rule to managers. */
const orManager = (manager: Rule<"athlete", Account>): Rule<"athlete", AthleteAndRole> => ({
  description: `${thatAthlete.description}; as a convenience, ${manager.description[0]?.toLowerCase()}${manager.description.slice(1)}`,
  roles: ["MANAGER", "ATHLETE"],
  async find(ctx, ids, lookup) {
    const byManager = ctx.caller?.role === "MANAGER";
    const athlete = await (byManager ? manager : thatAthlete).find(ctx, ids, lookup);
    return { athlete, byManager };
  },
});

export const thatAthleteOrManager = orManager(athletesManager);
export const thatAthleteOrManagerWhoManages = orManager(athletesManagerWhoManages);
