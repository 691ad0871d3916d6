import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, gt, isNull } from "drizzle-orm";
import { confirmUnlessFresh, OwnPassword } from "../domain/accounts/credential-changes.js";
import { change } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { deviceCodes } from "../store/schema.js";
import { DateTimeOut, Text } from "../wire/types.js";
import { hashUserCode, waitingSignIn } from "./device-codes.js";
import { isGrantValid, sessionOf } from "./issue-tokens.js";
import { Scopes } from "./personal-tokens.js";

/** Request of a program that waits for the approval of a user. */
export const DeviceSignIn = Type.Object(
  {
    application: Type.String({ description: "Name of the application" }),
    scopes: Scopes,
    begun_at: DateTimeOut(),
    expires_at: DateTimeOut(),
  },
  {
    $id: "DeviceSignIn",
    examples: [
      {
        application: "asi",
        scopes: ["samples:read" as const],
        begun_at: "2024-01-01T06:00:00.000Z",
        expires_at: "2024-01-01T06:10:00.000Z",
      },
    ],
  },
);

const code = Text({ minLength: 1, maxLength: 40, description: "The code that the program shows" });

export const UserCode = Type.Object({ code }, { examples: [{ code: "WDJB-MJHT" }] });

export const DeviceDecision = Type.Object(
  {
    code,
    approve: Type.Boolean({ description: "true approves the program, false refuses it" }),
    password: OwnPassword(
      "Your password, to approve more than 5 minutes after you have signed in, because the token of this request may be stolen",
    ),
  },
  { examples: [{ code: "WDJB-MJHT", approve: true }] },
);

const wrongCode = () =>
  errors.field(
    "code",
    "No program waits with this code. Codes are valid for 10 minutes and work once.",
    "wrong_code",
  );

/** @throws ServiceError `wrong_code` */
export async function findDeviceSignIn(
  ctx: Context,
  { code: sent }: StaticDecode<typeof UserCode>,
): Promise<Static<typeof DeviceSignIn>> {
  const found = await waitingSignIn(ctx, sent);
  if (found === undefined) throw wrongCode();
  const { scopes, createdAt, expiresAt } = found.row;
  return {
    application: found.application,
    scopes,
    begun_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

/**
 * Approves or denies a sign-in, once. An approval more than 5 minutes after signing in needs the password, because the token of the
 * program remains when the session of the page ends.
 * @throws ServiceError `wrong_code`, and as `confirmPassword`
 */
export async function decideDeviceSignIn(
  ctx: Context,
  { code: sent, approve, password }: StaticDecode<typeof DeviceDecision>,
): Promise<void> {
  const found = await waitingSignIn(ctx, sent);
  if (found === undefined) throw wrongCode();
  if (approve) await confirmUnlessFresh(ctx, password);
  const { applicationId } = found.row;
  await change(ctx, "decideDeviceSignIn", {}, async (unit) => {
    const accountId = ctx.caller?.id ?? 0;
    if (!(await isGrantValid(unit, { accountId, applicationId }, sessionOf(ctx))))
      throw errors.unauthenticated(true);
    const [decided] = await unit.queries
      .update(deviceCodes)
      .set({ isApproved: approve, accountId })
      .where(
        and(
          eq(deviceCodes.userHash, hashUserCode(sent)),
          isNull(deviceCodes.isApproved),
          gt(deviceCodes.expiresAt, unit.now),
        ),
      )
      .returning({ scopes: deviceCodes.scopes });
    if (decided === undefined) throw wrongCode();
    await unit.audit("account", accountId, null, {
      device: approve ? "approved" : "denied",
      application: applicationId,
      scopes: decided.scopes,
    });
  });
}
