import { randomUUID } from "node:crypto";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";
import { type AccountValues, insertAccount } from "./write.js";

/** The permissions of the manager of a managed athlete last from 1970-01-01 to 2199-12-31, both days included. */
const MANAGED_FROM = new Date("1970-01-01T00:00:00.000Z");
const MANAGED_UNTIL = new Date("2199-12-31T23:59:59.999Z");

/** Creates an athlete who cannot log in, and gives the manager READ, WRITE and SHARE. */
export async function insertManagedAthlete(
  unit: UnitOfWork,
  managerId: number,
  values: Partial<AccountValues>,
): Promise<Account> {
  const athlete = await insertAccount(unit, {
    ...values,
    role: "ATHLETE",
    username: `MANAGED-${randomUUID()}`,
    email: "",
    managedBy: managerId,
  });
  await unit.queries.insert(permissions).values(
    (["READ", "WRITE", "SHARE"] as const).map((permission) => ({
      athleteId: athlete.id,
      managerId,
      permission,
      startTime: MANAGED_FROM,
      expirationTime: MANAGED_UNTIL,
    })),
  );
  return athlete;
}
