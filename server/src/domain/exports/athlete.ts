import type { Readable } from "node:stream";
import { samplesToCsv } from "asi-convert/csv";
import { eq } from "drizzle-orm";
import { allocateColumns, sliceColumns, sqlClientOf, streamSamples } from "../../store/samples/index.js";
import { accounts } from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import { toAthlete } from "../accounts/resource.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { WornTimes } from "../sample-ownership/wearer-sweep.js";
import { wornDevices, wornTimes } from "../sample-ownership/wearers.js";
import {
  assignmentsOf,
  auditOf,
  type Count,
  identitiesOf,
  knownManagersOf,
  membershipsOf,
  permissionsOf,
  sessionsOf,
} from "./athlete-rows.js";
import {
  activitiesOf,
  computedDataOf,
  sampleFileName,
  sessionFiguresOf,
  timeframesOf,
} from "./measured-rows.js";
import { type ZipEntry, zipOf } from "./zip.js";

/** Number of samples formatted in one step, which takes about a millisecond. */
const SAMPLES = 20_000;

/** Returns the file name of the archive. */
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

/** Checks that the account exists. If it were deleted during the export, rows would be missing without an error. */
async function requireAccount({ queries }: Context, { id }: Account): Promise<void> {
  if ((await queries.$count(accounts, eq(accounts.id, id))) === 0) throw errors.notFound();
}

async function* pieces(value: unknown): AsyncGenerator<string> {
  yield `${JSON.stringify(value, null, 2)}\n`;
}

async function* profile(athlete: Account, count: Count): AsyncGenerator<string> {
  count();
  yield* pieces({ ...toAthlete(athlete), created_at: athlete.createdAt.toISOString() });
}

/**
 * Returns the times of a time frame whose samples its file omits, because an older time frame assigns them to another athlete.
 */
const leftOut = ({ others }: WornTimes) =>
  others.length === 0
    ? {}
    : {
        left_out: others.map(({ startMs, stopMs }) => ({
          start: new Date(startMs).toISOString(),
          stop: new Date(stopMs).toISOString(),
        })),
      };

/** Yields the samples of a time frame as standard CSV. Without samples, the file contains only the header line. */
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
