import { eq } from "drizzle-orm";
import { ownerships } from "../../store/schema.js";
import type { Ownership } from "../devices/rules.js";
import { errors } from "../errors.js";
import type { Rule } from "../rule.js";

export const ownOwnership: Rule<"device_ownership", Ownership> = {
  words: "Managers, on their own ownerships",
  roles: ["MANAGER"],
  async find(ctx, ids, look) {
    const [ownership] = await look.queries
      .select()
      .from(ownerships)
      .where(eq(ownerships.id, ids.device_ownership));
    if (ownership === undefined || ownership.managerId !== ctx.caller?.id) throw errors.notFound();
    return ownership;
  },
};
