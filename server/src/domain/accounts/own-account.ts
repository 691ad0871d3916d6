import type { StaticDecode } from "@sinclair/typebox";
import type { Role } from "../../store/schema.js";
import type { IdsOf } from "../change/access.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { changedPasswordHash, generatePassword, hashPassword } from "../secrets/passwords.js";
import { requireUser } from "./credential-changes.js";
import { countChangedCredentials, countCredentialsMail, mailCredentials } from "./credentials-mail.js";
import { type Account, findAccount } from "./find.js";
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

/** The columns on which the checks of a change to the own account depend. */
const CHECKED = ["username", "email", "emailConfirmed", "passwordHash"] as const;

const MAX_TRIES = 3;

/** Another request has changed the credentials between the checks and the transaction. */
class CredentialsChanged extends Error {}

/**
 * Checks and makes a change to the account of the caller. The row that was read before the body of the request may be a minute
 * old, so the checks read it again. The checks hash passwords and count requests, so they run before the transaction. The
 * transaction makes the change only if the locked row still has the checked credentials. Otherwise, everything runs again.
 * @param work calls `requireSame` in its transaction, with the locked row
 * @throws ServiceError `credentials_changed` if other requests change the credentials each time
 */
export async function changeOwnAccount<T>(
  ctx: Context,
  { role, id }: Pick<Account, "role" | "id">,
  work: (account: Account, requireSame: (locked: Account) => void) => Promise<T>,
): Promise<T> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const account = await findAccount(role, id, { queries: ctx.queries, lock: false });
    const requireSame = (locked: Account) => {
      if (CHECKED.some((column) => locked[column] !== account[column])) throw new CredentialsChanged();
    };
    try {
      return await work(account, requireSame);
    } catch (error) {
      if (!(error instanceof CredentialsChanged)) throw error;
    }
  }
  throw errors.conflict(
    "credentials_changed",
    "Other requests are changing the username, the email address or the password of this account. Send the request again.",
  );
}

/**
 * Performs the expensive part of an update by the user, in `changeOwnAccount` and before the transaction. Setting the current
 * password again changes nothing.
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
  target: Account,
  body: StaticDecode<typeof NewPassword>,
): Promise<void> {
  await changeOwnAccount(ctx, target, async (account, requireSame) => {
    await requireUser(ctx, account, body);
    const passwordHash = await hashPassword(ctx, body.password, account.username);
    await countChangedCredentials(ctx, account, { passwordHash });
    await change(ctx, operation, ids, async (unit, before) => {
      requireSame(before);
      await updateAccount(unit, before, { passwordHash });
    });
  });
}
