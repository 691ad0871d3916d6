import type { StaticDecode } from "@sinclair/typebox";
import { countCredentialsMail, mailCredentials } from "../accounts/credentials-mail.js";
import { insertManagedAthlete } from "../accounts/managed-athlete.js";
import { toManager } from "../accounts/resource.js";
import {
  athleteProfileColumns,
  insertAccount,
  managerProfileColumns,
  requireAvailable,
} from "../accounts/write.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { generatePassword, hashPassword } from "../secrets/passwords.js";
import type { NewManager } from "./bodies.js";

/** Registers a manager, optionally with a default athlete, and mails the credentials. */
export async function createManager(
  ctx: Context,
  body: StaticDecode<typeof NewManager>,
  withDefaultAthlete: boolean,
): Promise<Item<ReturnType<typeof toManager>>> {
  await requireAvailable(ctx, "MANAGER", { username: body.username, externalId: body.external_id });
  const generated = body.password === undefined ? generatePassword() : null;
  const isMailed = await countCredentialsMail(ctx, body.email, generated !== null);
  const passwordHash = await hashPassword(ctx, generated ?? body.password ?? "", body.username);
  return change(ctx, "createManager", {}, async (unit) => {
    const manager = await insertAccount(unit, {
      role: "MANAGER",
      username: body.username,
      email: body.email,
      externalId: body.external_id ?? null,
      passwordHash,
      canCreateManagedAthletes: ctx.config.grantManagedAthletes,
      ...managerProfileColumns(body.manager_profile),
    });
    if (withDefaultAthlete) {
      await insertManagedAthlete(unit, manager.id, {
        isDefaultAthlete: true,
        ...athleteProfileColumns(body.athlete_profile),
      });
    }
    if (isMailed) await mailCredentials(ctx, unit, manager, generated);
    return item(toManager(manager), manager.version);
  });
}
