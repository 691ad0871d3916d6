import { errors } from "../errors.js";
import type { Rule } from "../rule.js";
import { type Account, findAthlete } from "./find.js";

export const thatAthlete: Rule<"athlete", Account> = {
  description: "The athlete",
  roles: ["ATHLETE"],
  async find(ctx, ids, lookup) {
    const athlete = await findAthlete(ids.athlete, lookup);
    if (athlete.id !== ctx.caller?.id) throw errors.forbidden();
    return athlete;
  },
};
