import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type { GroupRoles } from "../../config/sign-in-settings.js";
import type { Account } from "../../domain/accounts/find.js";
import { updateAccount } from "../../domain/accounts/write.js";
import type { UnitOfWork } from "../../domain/change/unit-of-work.js";
import { type GuestRole, type Role, squadGrants, squads } from "../../store/schema.js";

/** The group of all users of the provider. */
const EVERYONE = "*";

/** Whether roles depend on groups, and not only on being a user of the provider. */
export const namesGroups = (mapping: readonly GroupRoles[]): boolean =>
  mapping.some(([group]) => group !== EVERYONE);

/** Roles that the groups of a user give. */
export interface GrantedRoles {
  /** The role of a new account; null if no group gives one. */
  account: Extract<Role, "MANAGER" | "ATHLETE"> | null;
  isAthlete: boolean;
  mayCreateAthletes: boolean;
  /** Roles by the ids of the squads. */
  squads: ReadonlyMap<number, GuestRole>;
}

/**
 * Returns the roles of a user. A role in a squad, and `create-athletes`, imply `manager`, because only managers can have them. If
 * several groups give roles in one squad, the first one in the setting counts.
 */
export function rolesOf(mapping: readonly GroupRoles[], groups: ReadonlySet<string>): GrantedRoles {
  const granted = mapping
    .filter(([group]) => group === EVERYONE || groups.has(group))
    .flatMap(([, roles]) => roles);
  const inSquads = new Map<number, GuestRole>();
  for (const role of granted) {
    if (role.kind === "squad" && !inSquads.has(role.squadId)) inSquads.set(role.squadId, role.role);
  }
  const isAthlete = granted.some(({ kind }) => kind === "athlete");
  const isManager = granted.some(({ kind }) => kind !== "athlete");
  return {
    account: isManager ? "MANAGER" : isAthlete ? "ATHLETE" : null,
    isAthlete,
    mayCreateAthletes: granted.some(({ kind }) => kind === "create-athletes"),
    squads: inSquads,
  };
}

/** Whether the roles allow the use of an account of this role. The role of an account never changes. */
export const allows = (roles: GrantedRoles, role: Role): boolean =>
  role === "ATHLETE" ? roles.isAthlete : roles.account === "MANAGER";

/**
 * Gives an account the roles of its user's groups, and withdraws the roles of groups that the user has left. Roles that owners of
 * squads have granted do not change. The row of the account must be locked.
 */
export async function applyRoles(unit: UnitOfWork, account: Account, roles: GrantedRoles): Promise<void> {
  const { config } = unit;
  const decides = config.openidRoles.some(([, mapped]) =>
    mapped.some(({ kind }) => kind === "create-athletes"),
  );
  const canCreateManagedAthletes = roles.mayCreateAthletes && account.role === "MANAGER";
  if (decides && account.canCreateManagedAthletes !== canCreateManagedAthletes)
    await updateAccount(unit, account, { canCreateManagedAthletes });
  await applySquadRoles(unit, account, account.role === "MANAGER" ? roles.squads : new Map());
}

async function applySquadRoles(
  unit: UnitOfWork,
  { id: guestId, username }: Account,
  wanted: ReadonlyMap<number, GuestRole>,
): Promise<void> {
  const { queries, now } = unit;
  const given = eq(squadGrants.guestId, guestId);
  const concerned = queries
    .select({ id: squadGrants.squadId })
    .from(squadGrants)
    .where(and(given, eq(squadGrants.byProvider, true)));
  // Locks the squads in the order of their ids, and before the grants. Other operations that delete a squad or accept
  // an invitation use the same order.
  const found = await queries
    .select({ id: squads.id, ownerId: squads.ownerId })
    .from(squads)
    .where(inArray(squads.id, [...wanted.keys(), ...(await concerned).map(({ id }) => id)]))
    .orderBy(squads.id)
    .for("update");
  const grants = await queries
    .select()
    .from(squadGrants)
    .where(and(given, isNotNull(squadGrants.acceptedAt)));
  for (const squad of found) {
    const before = grants.find(({ squadId }) => squadId === squad.id);
    const role = squad.ownerId === guestId ? undefined : wanted.get(squad.id);
    if (before !== undefined && (!before.byProvider || before.role === role)) continue;
    if (before !== undefined) {
      await queries.delete(squadGrants).where(eq(squadGrants.id, before.id));
      await unit.announce("squadGrantChanged", { before, after: null });
    }
    if (role === undefined) continue;
    const [after] = await queries
      .insert(squadGrants)
      .values({
        squadId: squad.id,
        guestId,
        username,
        role,
        createdAt: now,
        acceptedAt: now,
        byProvider: true,
      })
      .returning();
    if (after === undefined) throw new Error("The role was not inserted");
    await unit.announce("squadGrantChanged", { before: null, after });
  }
}
