import { eq } from "drizzle-orm";
import { accounts } from "../../store/schema.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** Serializes changes to an account that depend on each other, such as those that check a limit. */
export async function lockAccount({ queries }: Pick<UnitOfWork, "queries">, id: number): Promise<void> {
  await queries.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)).for("no key update");
}
