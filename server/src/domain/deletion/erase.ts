import { type Static, Type } from "@sinclair/typebox";
import { eq, or, sql } from "drizzle-orm";
import { personHash } from "../../store/backup/erasure-list.js";
import type { Queries } from "../../store/connection/database.js";
import {
  accessTokens,
  auditLog,
  computedData,
  identities,
  permissions,
  refreshTokens,
  sessionFigures,
  timeframes,
} from "../../store/schema.js";
import { DateTimeOut } from "../../wire/types.js";
import { eraseInParts, ofPerson } from "../accounts/erase.js";
import { tracesOf } from "../accounts/erasures.js";
import { type Account, findAthlete } from "../accounts/find.js";
import { eraseMails } from "../accounts/mail-folder.js";
import { authorizeAgain, change, transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { deleteSomePermissions } from "../permissions/remove.js";
import { deleteInBatches, deleteTimeframes, OF_ATHLETE_AT_A_TIME } from "../timeframes/remove.js";
import { deleteRows } from "./athlete.js";
import { eraseSamples } from "./erase-samples.js";
import { responsesOf } from "./responses.js";

/** Proof of an erasure. Contains no personal data. */
export const ErasureProof = Type.Object(
  {
    person: Type.String({
      description: "SHA-256 that identifies the person in the audit log and in the list of erasures",
    }),
    erased_at: DateTimeOut(),
    rows: Type.Record(Type.String(), Type.Integer(), {
      description:
        "Number of removed rows by kind. If samples are removed, samples_kept counts samples that are kept because an older time frame assigns them to another athlete, and recordings_waiting counts recordings of the same devices by the same managers that wait to be loaded or are still being streamed, and may add samples again",
    }),
  },
  {
    $id: "ErasureProof",
    examples: [
      {
        person: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        erased_at: "2024-01-01T06:00:00.000Z",
        rows: { account: 1, timeframes: 12, computed_data: 12, permissions: 3, sessions: 1, samples: 0 },
      },
    ],
  },
);
export type ErasureProof = Static<typeof ErasureProof>;

/** Runs work in a transaction that locks the athlete and checks the caller's right. */
type Run = <T>(work: (unit: UnitOfWork, athlete: Account) => Promise<T>) => Promise<T>;

/** Counts the rows of each kind that an erasure would remove. Samples are counted on removal. */
export async function rowsOf(queries: Queries, id: number): Promise<Record<string, number>> {
  const frames = queries.select({ id: timeframes.id }).from(timeframes).where(eq(timeframes.athleteId, id));
  return {
    account: 1,
    timeframes: await queries.$count(timeframes, eq(timeframes.athleteId, id)),
    computed_data: await queries.$count(computedData, sql`${computedData.timeframeId} IN ${frames}`),
    session_figures: await queries.$count(sessionFigures, eq(sessionFigures.athleteId, id)),
    permissions: await queries.$count(permissions, eq(permissions.athleteId, id)),
    sessions: await queries.$count(refreshTokens, eq(refreshTokens.accountId, id)),
    identities: await queries.$count(identities, eq(identities.accountId, id)),
    access_tokens: await queries.$count(accessTokens, eq(accessTokens.accountId, id)),
    audit_rows: await queries.$count(
      auditLog,
      or(eq(auditLog.accountId, id), sql`${auditLog.entity} = 'account' AND ${auditLog.entityId} = ${id}`),
    ),
  };
}

/**
 * Deletes an athlete and erases every trace that could identify the person. The audit log then contains only the proof.
 * The rows are deleted in transactions of limited size, and the account last. After an interruption, call it again.
 * @param samples whether to remove the samples of the athlete's time frames
 * @param run runs all transactions except the last
 * @param finish runs the last transaction
 */
async function erase(
  ctx: Context,
  athlete: Account,
  { samples }: { samples: boolean },
  run: Run,
  finish: Run = run,
): Promise<ErasureProof> {
  const { id } = athlete;
  const ofAthlete = eq(timeframes.athleteId, id);
  const counted = await rowsOf(ctx.queries, id);
  const responses = await responsesOf(ctx, athlete);
  // First, because after an interruption the managers are no longer found.
  await responses.eraseInParts(run);
  // Without permissions, no manager can add a time frame of the athlete or assign one to the athlete.
  while (await run((unit) => deleteSomePermissions(unit, eq(permissions.athleteId, id))));
  const erased = samples ? await eraseSamples(ctx.queries, id, run) : undefined;
  const rows = {
    ...counted,
    samples: erased?.removed ?? 0,
    ...(erased && { samples_kept: erased.kept, recordings_waiting: erased.waiting }),
  };
  await deleteInBatches(
    ctx.queries,
    ofAthlete,
    (limit) => run((unit) => deleteTimeframes(unit, ofAthlete, { limit })),
    OF_ATHLETE_AT_A_TIME,
  );
  await eraseInParts(run, ofPerson(athlete));
  await eraseInParts(run, tracesOf(athlete));
  // Again, so that the last transaction examines few responses.
  await responses.eraseInParts(run);
  const proof = await finish(async (unit, account) => {
    await responses.eraseRest(unit);
    const erasure = { kind: samples ? ("erased with samples" as const) : ("erased" as const), rows };
    await deleteRows(unit, account);
    await unit.announce("accountRemoved", { account, erasure });
    return { person: personHash(account), erased_at: unit.now.toISOString(), rows };
  });
  await eraseMails(ctx.config.dataDir, id);
  return proof;
}

/** Erases the caller, or an athlete whom the caller manages. Confirm the caller's password first. */
export const eraseAthlete = (ctx: Context, athlete: Account): Promise<ErasureProof> => {
  const ids = { athlete: athlete.id };
  return erase(
    ctx,
    athlete,
    { samples: ctx.config.eraseSamples },
    (work) =>
      transact(ctx, "eraseAthlete", async (unit) => {
        const target = await authorizeAgain(ctx, "eraseAthlete", ids, unit);
        return work(unit, target.athlete);
      }),
    // The response to an idempotency key is stored in the last transaction.
    ((work: (unit: UnitOfWork, athlete: Account) => Promise<ErasureProof>) =>
      change(ctx, "eraseAthlete", ids, (unit, target) => work(unit, target.athlete))) as Run,
  );
};

/**
 * Erases an athlete for the operator.
 * @throws ServiceError `not_found`
 */
export async function eraseForOperator(
  ctx: Context,
  id: number,
  options: { samples: boolean },
): Promise<ErasureProof> {
  const athlete = await findAthlete(id, { queries: ctx.queries, lock: false });
  return erase(ctx, athlete, options, (work) =>
    transact(ctx, "athlete erase", async (unit) =>
      work(unit, await findAthlete(id, { queries: unit.queries, lock: true })),
    ),
  );
}
