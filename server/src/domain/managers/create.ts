import type { StaticDecode } from "@sinclair/typebox";
import { insertManagedAthlete } from "../accounts/managed-athlete.js";
import { prepareRegistration } from "../accounts/own-account.js";
import type { toManager } from "../accounts/resource.js";
import { athleteProfileColumns, managerProfileColumns } from "../accounts/write.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { Item } from "../change/entity-tags.js";
import type { NewManager } from "./bodies.js";
import { managerItem } from "./retrieve.js";

/** Registers a manager, optionally with a default athlete, and emails the credentials. */
export async function createManager(
  ctx: Context,
  body: StaticDecode<typeof NewManager>,
  withDefaultAthlete: boolean,
): Promise<Item<ReturnType<typeof toManager>>> {
  const register = await prepareRegistration(ctx, "MANAGER", body);
  return change(ctx, "createManager", {}, async (unit) => {
    const manager = await register(unit, {
      canCreateManagedAthletes: ctx.config.grantManagedAthletes,
      ...managerProfileColumns(body.manager_profile),
    });
    if (withDefaultAthlete) {
      await insertManagedAthlete(unit, manager.id, {
        isDefaultAthlete: true,
        ...athleteProfileColumns(body.athlete_profile),
      });
    }
    return managerItem(manager);
  });
}
