import { randomUUID } from "node:crypto";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";
import { type AccountValues, insertAccounts } from "./write.js";

/** The permissions of the manager of a managed athlete last from 1970-01-01 to 2199-12-31, both days included. */
const MANAGED_FROM = new Date("1970-01-01T00:00:00.000Z");
const MANAGED_UNTIL = new Date("2199-12-31T23:59:59.999Z");

const RIGHTS = ["READ", "WRITE", "SHARE"] as const;

/** Creates athletes who cannot log in, at least one, and gives the manager READ, WRITE and SHARE. */
export async function insertManagedAthletes(
  unit: UnitOfWork,
  managerId: number,
  rows: readonly Partial<AccountValues>[],
): Promise<[Account, ...Account[]]> {
  const athletes = await insertAccounts(
    unit,
    rows.map((values) => ({
      ...values,
      role: "ATHLETE",
      username: `MANAGED-${randomUUID()}`,
      email: "",
      managedBy: managerId,
    })),
  );
  await unit.queries.insert(permissions).values(
    athletes.flatMap(({ id }) =>
      RIGHTS.map((permission) => ({
        athleteId: id,
        managerId,
        permission,
        startTime: MANAGED_FROM,
        expirationTime: MANAGED_UNTIL,
      })),
    ),
  );
  return athletes;
}

export const insertManagedAthlete = async (
  unit: UnitOfWork,
  managerId: number,
  values: Partial<AccountValues>,
): Promise<Account> => (await insertManagedAthletes(unit, managerId, [values]))[0];
