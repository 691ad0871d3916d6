import type { Readable } from "node:stream";
import { eq } from "drizzle-orm";
import { accounts } from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import { toAthlete } from "../accounts/resource.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
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
import { jsonArrayOf } from "./json-array.js";
import { activitiesOf, computedDataOf, leftOutOf, sessionFiguresOf, timeframesOf } from "./measured-rows.js";
import { sampleFilesOf } from "./sample-files.js";
import { type ZipEntry, zipOf } from "./zip.js";

/** Returns the file name of the archive. */
export const exportFileName = ({ id }: Pick<Account, "id">, now: Date): string =>
  `athlete-${id}-${now.toISOString().slice(0, 10)}.zip`;

/**
 * Returns a zip archive with all data about an athlete: JSON, and the athlete's samples as CSV, each sample once. The data is read
 * during the transfer, in separate statements. `export.json` is the last file and is present only in a complete archive.
 * @param requireRight called repeatedly during the transfer; throws when the caller has lost the right
 * @throws ServiceError by destroying the stream: `not_found` when the account is deleted during the transfer, `unauthenticated`
 *   when the caller is signed out, `forbidden` when a device of a present time frame gets another owner while its samples are read,
 *   and any error of `requireRight`
 */
export function exportAthlete(
  ctx: Context,
  athlete: Account,
  requireRight?: () => Promise<unknown>,
): Readable {
  const recheck = accessRecheck(ctx, async () => {
    await requireAccount(ctx, athlete);
    await requireRight?.();
  });
  return zipOf(whileAllowed(recheck, entriesOf(ctx, athlete)));
}

/** Rechecks the right before each part of each file, and during the search for the next file. */
async function* whileAllowed(
  recheck: () => Promise<void>,
  entries: AsyncIterable<ZipEntry | null>,
): AsyncGenerator<ZipEntry | null> {
  async function* checked<T>(content: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const part of content) {
      await recheck();
      yield part;
    }
  }
  for await (const entry of entries) {
    await recheck();
    yield entry && { name: entry.name, content: checked(entry.content) };
  }
}

async function* entriesOf(ctx: Context, athlete: Account): AsyncGenerator<ZipEntry | null> {
  const startedAt = ctx.clock.now();
  const files: { name: string; rows: number }[] = [];
  const counted = (name: string, content: (count: Count) => ZipEntry["content"]) => {
    const file = { name, rows: 0 };
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
  yield counted("left-out.json", (count) => leftOutOf(ctx, athlete, count));
  for await (const file of sampleFilesOf(ctx, athlete.id)) {
    if (file !== null) files.push(file.listed);
    yield file;
  }
  await requireAccount(ctx, athlete);
  const about = {
    athlete: athlete.id,
    started_at: startedAt.toISOString(),
    finished_at: ctx.clock.now().toISOString(),
  };
  yield { name: "export.json", content: summary(about, files) };
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

async function* summary(about: object, files: Iterable<object>): AsyncGenerator<string> {
  yield `${JSON.stringify(about).slice(0, -1)},"files":`;
  yield* jsonArrayOf(files);
  yield "}\n";
}
