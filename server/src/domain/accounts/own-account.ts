import type { StaticDecode } from "@sinclair/typebox";
import type { Role } from "../../store/schema.js";
import type { IdsOf } from "../change/access.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { changedPasswordHash, generatePassword, hashPassword } from "../secrets/passwords.js";
import { requireUser } from "./credential-changes.js";
import { countChangedCredentials, countCredentialsMail, mailCredentials } from "./credentials-mail.js";
import type { Account } from "./find.js";
import type { NewPassword } from "./resource.js";
import { type AccountValues, insertAccount, requireAvailable, updateAccount } from "./write.js";

/** Fields that managers and athletes send about their own accounts, apart from their profiles. */
interface AccountBody {
  username: string;
  email: string;
  external_id?: string | null | undefined;
  password?: string | undefined;
}

/**
 * Performs the expensive part of a registration before its transaction.
 * @returns function that inserts the account in the transaction and emails the credentials
 */
export async function prepareRegistration(ctx: Context, role: Role, body: AccountBody) {
  const { username, email, external_id: externalId = null } = body;
  await requireAvailable(ctx, role, { username, externalId });
  const generated = body.password === undefined ? generatePassword() : null;
  const isMailed = await countCredentialsMail(ctx, email, generated !== null);
  const passwordHash = await hashPassword(ctx, generated ?? body.password ?? "", username);
  return async (unit: UnitOfWork, profile: Partial<AccountValues>): Promise<Account> => {
    const account = await insertAccount(unit, {
      role,
      username,
      email,
      externalId,
      passwordHash,
      ...profile,
    });
    if (isMailed) await mailCredentials(ctx, unit, account, generated);
    return account;
  };
}

/**
 * Performs the expensive part of an update by the user before its transaction. Setting the current password again changes
 * nothing.
 * @returns the columns to change, without the profile
 */
export async function prepareUpdate(
  ctx: Context,
  account: Account,
  body: { [Field in keyof AccountBody]?: AccountBody[Field] | undefined } & { current_password?: string },
) {
  const { username, email, external_id: externalId, password } = body;
  if (password !== undefined || username !== undefined)
    await requireAvailable(ctx, account.role, { username, externalId }, account);
  await requireUser(ctx, account, body);
  const passwordHash = await changedPasswordHash(
    ctx,
    account.passwordHash,
    password,
    username ?? account.username,
  );
  await countChangedCredentials(ctx, account, { username, email, passwordHash });
  return { username, email, externalId, passwordHash };
}

/** Operations that set a new password. */
type PasswordChange = "changeManagerPassword" | "changeAthletePassword";

/** Sets a new password and ends every session. */
export async function changePassword(
  ctx: Context,
  operation: PasswordChange,
  ids: IdsOf<PasswordChange>,
  account: Account,
  body: StaticDecode<typeof NewPassword>,
): Promise<void> {
  await requireUser(ctx, account, body);
  const passwordHash = await hashPassword(ctx, body.password, account.username);
  await countChangedCredentials(ctx, account, { passwordHash });
  await change(ctx, operation, ids, async (unit, before) => {
    await updateAccount(unit, before, { passwordHash });
  });
}
