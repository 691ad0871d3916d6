import type { Readable } from "node:stream";
import { samplesToCsv } from "asi-convert/csv";
import { and, eq, getTableColumns, gt, inArray, or, sql } from "drizzle-orm";
import { allocateColumns, sliceColumns, sqlClientOf, streamSamples } from "../../store/samples/index.js";
import {
  accounts,
  activities,
  applications,
  assignments,
  auditLog,
  computedData,
  identities,
  knownManagers,
  permissions,
  refreshTokens,
  sessionFigures,
  squadMembers,
  squads,
  timeframes,
} from "../../store/schema.js";
import { PEOPLE } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { toAthlete } from "../accounts/resource.js";
import { toAssignment } from "../assignments/resource.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { toMember } from "../members/resource.js";
import { toPermission } from "../permissions/resource.js";
import type { WornTimes } from "../sample-ownership/wearer-sweep.js";
import { wornDevices, wornTimes } from "../sample-ownership/wearers.js";
import { toTimeframe } from "../timeframes/resource.js";
import { jsonArray } from "./json-array.js";
import { type ZipEntry, zipOf } from "./zip.js";

/** Number of rows in one read. An activity can be several megabytes. */
const ROWS = 200;
const LARGE_ROWS = 4;
/** Results of computations are up to 400 kB each. */
const RESULT_ROWS = 20;

/** Number of samples formatted in one step, which takes about a millisecond. */
const SAMPLES = 20_000;

/** File name of the archive. */
export const exportFileName = ({ id }: Pick<Account, "id">, now: Date): string =>
  `athlete-${id}-${now.toISOString().slice(0, 10)}.zip`;

/**
 * Returns a zip archive with all data about an athlete: JSON, and the athlete's samples as CSV, one file per time frame, each
 * sample once. The data is read during the transfer, in separate statements. `export.json` is the last file and is present only
 * in a complete archive.
 * @param requireRight called repeatedly during the transfer; throws when the caller has lost the right
 * @throws ServiceError by destroying the stream: `not_found` when the account is deleted during the transfer, `unauthenticated`
 *   when the caller is signed out, and any error of `requireRight`
 */
export function exportAthlete(
  ctx: Context,
  athlete: Account,
  requireRight?: () => Promise<unknown>,
): Readable {
  return zipOf(whileAllowed(accessRecheck(ctx, requireRight), entriesOf(ctx, athlete)));
}

/** Rechecks the right before each part of each file. */
async function* whileAllowed(
  recheck: () => Promise<void>,
  entries: AsyncIterable<ZipEntry>,
): AsyncGenerator<ZipEntry> {
  async function* checked<T>(content: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const part of content) {
      await recheck();
      yield part;
    }
  }
  for await (const { name, content } of entries) yield { name, content: checked(content) };
}

async function* entriesOf(ctx: Context, athlete: Account): AsyncGenerator<ZipEntry> {
  const startedAt = ctx.clock.now();
  const files: { name: string; rows: number }[] = [];
  const counted = (
    name: string,
    content: (count: (rows?: number) => void) => ZipEntry["content"],
    about: object = {},
  ) => {
    const file = { name, rows: 0, ...about };
    files.push(file);
    return {
      name,
      content: content((rows = 1) => {
        file.rows += rows;
      }),
    };
  };
  yield counted("profile.json", (count) => profile(athlete, count));
  yield counted("permissions.json", (count) => permissionsOf(ctx, athlete, count));
  yield counted("known-managers.json", (count) => knownManagersOf(ctx, athlete, count));
  yield counted("sessions.json", (count) => sessionsOf(ctx, athlete, count));
  yield counted("identities.json", (count) => identitiesOf(ctx, athlete, count));
  yield counted("squads.json", (count) => membershipsOf(ctx, athlete, count));
  yield counted("assignments.json", (count) => assignmentsOf(ctx, athlete, count));
  yield counted("activities.json", (count) => activitiesOf(ctx, athlete, count));
  yield counted("timeframes.json", (count) => timeframesOf(ctx, athlete, count));
  yield counted("computed-data.json", (count) => computedDataOf(ctx, athlete, count));
  yield counted("session-figures.json", (count) => sessionFiguresOf(ctx, athlete, count));
  yield counted("audit.json", (count) => auditOf(ctx, athlete, count));
  for (const worn of await wornDevices(ctx.queries, athlete.id)) {
    for await (const times of wornTimes(ctx.queries, worn)) {
      await requireAccount(ctx, athlete);
      const { id, startMs } = times.frame;
      const name = sampleFileName({ id, startTime: new Date(startMs) });
      yield counted(name, (count) => samplesOf(ctx, worn.deviceId, times, count), leftOut(times));
    }
  }
  await requireAccount(ctx, athlete);
  yield {
    name: "export.json",
    content: pieces({
      athlete: athlete.id,
      started_at: startedAt.toISOString(),
      finished_at: ctx.clock.now().toISOString(),
      files,
    }),
  };
}

/** Rows of an account that is deleted during the export would be missing without an error. */
async function requireAccount({ queries }: Context, { id }: Account): Promise<void> {
  if ((await queries.$count(accounts, eq(accounts.id, id))) === 0) throw errors.notFound();
}

async function* pieces(value: unknown): AsyncGenerator<string> {
  yield `${JSON.stringify(value, null, 2)}\n`;
}

type Count = (rows?: number) => void;

async function* profile(athlete: Account, count: Count): AsyncGenerator<string> {
  count();
  yield* pieces({ ...toAthlete(athlete), created_at: athlete.createdAt.toISOString() });
}

const permissionsOf = ({ queries, clock }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select()
        .from(permissions)
        .where(and(eq(permissions.athleteId, id), gt(permissions.id, after)))
        .orderBy(permissions.id)
        .limit(limit),
    (row) => toPermission(row, clock.now()),
    count,
  );

/** Managers whom the athlete has looked up to grant permissions. */
const knownManagersOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({ id: knownManagers.managerId })
        .from(knownManagers)
        .where(and(eq(knownManagers.athleteId, id), gt(knownManagers.managerId, after)))
        .orderBy(knownManagers.managerId)
        .limit(limit),
    (row) => ({ manager: row.id }),
    count,
  );

/** The squads of which the athlete is or was a member. */
const membershipsOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({ ...getTableColumns(squadMembers), name: squads.name })
        .from(squadMembers)
        .innerJoin(squads, eq(squads.id, squadMembers.squadId))
        .where(and(eq(squadMembers.athleteId, id), gt(squadMembers.id, after)))
        .orderBy(squadMembers.id)
        .limit(limit),
    ({ name, ...member }) => ({ ...toMember(member), squad_name: name }),
    count,
  );

/** The devices that a manager has assigned to the athlete. */
const assignmentsOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select()
        .from(assignments)
        .where(and(eq(assignments.athleteId, id), gt(assignments.id, after)))
        .orderBy(assignments.id)
        .limit(limit),
    (row) => ({ ...toAssignment(row), manager: row.ownerId }),
    count,
  );

/** Omits tokens and their hashes. */
const sessionsOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({
          id: refreshTokens.id,
          application: applications.name,
          browser: refreshTokens.browser,
          name: refreshTokens.name,
          signed_in_at: refreshTokens.createdAt,
          last_used_at: refreshTokens.lastUsedAt,
          expires_at: refreshTokens.expiresAt,
        })
        .from(refreshTokens)
        .innerJoin(applications, eq(applications.id, refreshTokens.applicationId))
        .where(and(eq(refreshTokens.accountId, id), gt(refreshTokens.id, after)))
        .orderBy(refreshTokens.id)
        .limit(limit),
    (row) => row,
    count,
  );

/** The users of OpenID providers who can sign in to the account. */
const identitiesOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({
          id: identities.id,
          issuer: identities.issuer,
          subject: identities.subject,
          linked_at: identities.createdAt,
          last_used_at: identities.lastUsedAt,
        })
        .from(identities)
        .where(and(eq(identities.accountId, id), gt(identities.id, after)))
        .orderBy(identities.id)
        .limit(limit),
    (row) => row,
    count,
  );

const framesAfter = ({ queries }: Context, { id }: Account, after: number, limit: number) =>
  queries
    .select()
    .from(timeframes)
    .where(and(eq(timeframes.athleteId, id), gt(timeframes.id, after)))
    .orderBy(timeframes.id)
    .limit(limit);

/** Includes the `json` of an activity only if no other athlete has time frames in it, because it may describe others. */
const activitiesOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    LARGE_ROWS,
    (after, limit) =>
      queries
        .select({
          id: activities.id,
          name: activities.name,
          json_schema: activities.jsonSchemaId,
          // Not read when omitted, because it can be several megabytes.
          json: sql`CASE WHEN NOT EXISTS (
            SELECT FROM timeframes AS other WHERE other.activity_id = activities.id AND other.athlete_id <> ${id}
          ) THEN activities.json END`.mapWith(activities.json),
          owner: activities.ownerId,
        })
        .from(activities)
        .where(
          and(
            gt(activities.id, after),
            inArray(
              activities.id,
              queries
                .select({ id: timeframes.activityId })
                .from(timeframes)
                .where(eq(timeframes.athleteId, id)),
            ),
          ),
        )
        .orderBy(activities.id)
        .limit(limit),
    ({ json, ...activity }) => (json === null ? activity : { ...activity, json }),
    count,
  );

/** Omits serial numbers, because anyone who knows one can take a device without an owner. */
const timeframesOf = (ctx: Context, athlete: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) => framesAfter(ctx, athlete, after, limit),
    (frame) => ({ ...toTimeframe(frame), samples: sampleFileName(frame) }),
    count,
  );

/** Stored results. They are not recomputed, because the export shows stored data. */
const computedDataOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    RESULT_ROWS,
    (after, limit) =>
      queries
        .select({
          id: computedData.timeframeId,
          data: computedData.data,
          further: computedData.further,
          computedAt: computedData.computedAt,
        })
        .from(computedData)
        .innerJoin(timeframes, eq(timeframes.id, computedData.timeframeId))
        .where(and(eq(timeframes.athleteId, id), gt(computedData.timeframeId, after)))
        .orderBy(computedData.timeframeId)
        .limit(limit),
    (row) => ({
      timeframe: row.id,
      computed_at: row.computedAt.toISOString(),
      data: JSON.parse(row.data) as unknown,
      further: JSON.parse(row.further) as unknown,
    }),
    count,
  );

/** Figures of sessions of squads. Omits serial numbers. */
const sessionFiguresOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    LARGE_ROWS,
    async (after, limit) => {
      const ids = await queries
        .selectDistinct({ id: sessionFigures.sessionId })
        .from(sessionFigures)
        .where(and(eq(sessionFigures.athleteId, id), gt(sessionFigures.sessionId, after)))
        .orderBy(sessionFigures.sessionId)
        .limit(limit);
      if (ids.length === 0) return [];
      const rows = await queries
        .select()
        .from(sessionFigures)
        .where(
          and(
            eq(sessionFigures.athleteId, id),
            inArray(
              sessionFigures.sessionId,
              ids.map((session) => session.id),
            ),
          ),
        )
        .orderBy(sessionFigures.sessionId, sessionFigures.period);
      return ids.map((session) => ({
        ...session,
        periods: rows.filter(({ sessionId }) => sessionId === session.id),
      }));
    },
    (session) => ({
      session: session.id,
      periods: session.periods.map(({ period, figures, computedAt }) => {
        const { figures: values, definition } = JSON.parse(figures) as PlayerFigures;
        return { period, computed_at: computedAt.toISOString(), figures: values, definition };
      }),
    }),
    count,
  );

/** Changes by the athlete, of the athlete's account, and of rows that refer to the athlete. */
const auditOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select()
        .from(auditLog)
        .where(
          and(
            gt(auditLog.id, after),
            or(
              eq(auditLog.accountId, id),
              and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)),
              sql`${PEOPLE} && ARRAY[${String(id)}]`,
            ),
          ),
        )
        .orderBy(auditLog.id)
        .limit(limit),
    ({ at, accountId, operation, entity, entityId, before, after }) => ({
      at: at.toISOString(),
      by: accountId,
      operation,
      entity,
      entity_id: entityId,
      before,
      after,
    }),
    count,
  );

type Frame = typeof timeframes.$inferSelect;

const sampleFileName = ({ id, startTime }: Pick<Frame, "id" | "startTime">) =>
  `samples/timeframe-${id}_${startTime
    .toISOString()
    .replace(/[-:]|\.\d+Z/g, "")
    .slice(0, 15)}.csv`;

/** Times of a time frame without samples in its file, because an older time frame assigns them to another athlete. */
const leftOut = ({ others }: WornTimes) =>
  others.length === 0
    ? {}
    : {
        left_out: others.map(({ startMs, stopMs }) => ({
          start: new Date(startMs).toISOString(),
          stop: new Date(stopMs).toISOString(),
        })),
      };

/** Standard CSV. A file without samples has only the header line. */
async function* samplesOf(
  { queries }: Context,
  deviceId: number,
  { own }: WornTimes,
  count: (rows: number) => void,
): AsyncGenerator<Uint8Array> {
  yield samplesToCsv(allocateColumns(0));
  for await (const batch of streamSamples(sqlClientOf(queries), deviceId, own)) {
    count(batch.length);
    for (let from = 0; from < batch.length; from += SAMPLES) {
      const part = sliceColumns(batch, from, Math.min(from + SAMPLES, batch.length));
      yield samplesToCsv(part, { header: false });
    }
  }
}
