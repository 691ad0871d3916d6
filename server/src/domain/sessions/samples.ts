import type { StaticDecode } from "@sinclair/typebox";
import type { LabelledSamples } from "asi-convert";
import { and, asc, eq, gt, lte, or } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";
import { activities, sessions } from "../../store/schema.js";
import { authorize } from "../change/access.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { grantsOf } from "../permissions/coverage.js";
import { ownedSamples } from "../raw-data/owned-samples.js";
import {
  counted,
  type FileForm,
  type SampleFileQuery,
  sampleFile,
  timesIn,
} from "../raw-data/sample-file.js";
import { cutTo } from "../sample-ownership/intervals.js";
import type { Squad } from "../squad-roles/rules.js";
import { framesOf, intervalsOf, type SessionFrame } from "./figures-inputs.js";
import { playersOf } from "./players.js";
import { type Session, selectSessions, toSession } from "./rules.js";

type Query = StaticDecode<typeof SampleFileQuery>;
type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

const COLUMNS = { schema: "session-rows/1", labels: ["session", "athlete", "player", "device"] };

/**
 * Returns the samples of the players of a session, as one file in pieces: player by player, in chronological order for each device. Reads
 * them during the transfer.
 * @throws ServiceError `invalid`; from the generator `unauthenticated`, and `forbidden` when the right to samples that were read has
 *   ended
 */
export function downloadSessionSamples(ctx: Context, session: Session, query: Query, form: FileForm): Pieces {
  const samples = samplesByPlayer(ctx, session, timesIn(query), form, accessRecheck(ctx));
  return sampleFile(samples, { ...COLUMNS, ...form });
}

/**
 * Returns the samples of all sessions of a squad ordered by start, as one file in the format of a session.
 * @throws ServiceError as `downloadSessionSamples`
 */
export function downloadSquadSamples(ctx: Context, squad: Squad, query: Query, form: FileForm): Pieces {
  return sampleFile(samplesBySession(ctx, squad, timesIn(query), form), { ...COLUMNS, ...form });
}

async function* samplesBySession(
  ctx: Context,
  squad: Squad,
  within: Interval,
  form: FileForm,
): AsyncGenerator<LabelledSamples> {
  const requireSignedIn = accessRecheck(ctx);
  // Read one session at a time, because a season has hundreds, and some may change during a long download.
  for (let last: Session | undefined; ; ) {
    const [row] = await selectSessions(ctx.queries)
      .where(
        and(
          eq(sessions.squadId, squad.id),
          gt(sessions.endTime, new Date(within.startMs)),
          lte(sessions.startTime, new Date(within.stopMs)),
          last &&
            or(
              gt(sessions.startTime, last.startTime),
              and(eq(sessions.startTime, last.startTime), gt(activities.id, last.id)),
            ),
        ),
      )
      .orderBy(asc(sessions.startTime), asc(activities.id))
      .limit(1);
    if (row === undefined) return;
    last = toSession(row);
    yield* samplesByPlayer(ctx, last, within, form, requireSignedIn);
  }
}

async function* samplesByPlayer(
  ctx: Context,
  session: Session,
  within: Interval,
  form: FileForm,
  requireSignedIn: () => Promise<void>,
): AsyncGenerator<LabelledSamples> {
  for (const { athleteId, name } of await playersOf(ctx.queries, session)) {
    await requireSignedIn();
    const frames = await readableFrames(ctx, session, athleteId);
    const checked = { ...ctx, checkedMs: ctx.clock.now().getTime() };
    const devices = new Map(frames.map(({ deviceId, serial }) => [deviceId, serial]));
    for (const [deviceId, serial] of devices) {
      const own = frames.filter((frame) => frame.deviceId === deviceId);
      const recheck = accessRecheck(checked, async () => {
        const still = new Set((await readableFrames(ctx, session, athleteId)).map(({ id }) => id));
        if (!own.every(({ id }) => still.has(id))) throw errors.forbidden();
      });
      const wanted = intervalsOf(own)
        .map(({ startMs, endMs }) => ({ startMs, stopMs: endMs - 1 }))
        .flatMap(cutTo([within]));
      yield {
        labels: [String(session.id), String(athleteId), name, serial],
        samples: counted(ownedSamples(ctx, { deviceId, ownerId: session.ownerId }, wanted, recheck), form),
      };
    }
  }
}

/** Returns the time frames of a player whose samples the owner of the session may read now, if the caller is the owner. */
async function readableFrames(ctx: Context, session: Session, athleteId: number): Promise<SessionFrame[]> {
  await authorize(ctx, "downloadSessionSamples", { session: session.id });
  const frames = await framesOf(ctx.queries, session.id, athleteId);
  const grants = await grantsOf(ctx.queries, session.ownerId, "READ", frames);
  return frames.filter(({ startTime, endTime }) => grants.cover(athleteId, startTime, endTime));
}
