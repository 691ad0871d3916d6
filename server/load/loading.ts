/** Work after a match: a device loads its recording, and its coach creates a time frame for it. */
import { createHash } from "node:crypto";
import { JobFailedError, unwrap } from "asi-client";
import { differs, wrongFigures } from "./checks.js";
import { record } from "./recorder.js";
import type { Kind, Tally } from "./tally.js";
import { type Device, matchOf, type Team } from "./team.js";
import { expectedCsv, MATCH_SAMPLES, type Match, type Session, stopMsOf } from "./truth.js";
import type { WebhookBook } from "./webhooks.js";
import type { Wire } from "./wire.js";

const POLL_MS = 100;
/** Time limit for a job, after which it counts as lost. */
const JOB_TIMEOUT_MS = 120_000;

export interface Loading {
  team: Team;
  wire: Wire;
  tally: Tally;
  book: WebhookBook;
  sessions: readonly Session[];
}

/** Runs one call, measured from its due time to the last byte of the response. */
async function timed<T>(
  { wire, tally }: Pick<Loading, "wire" | "tally">,
  kind: Kind,
  call: () => Promise<T>,
  dueAtMs: number = performance.now(),
): Promise<T> {
  const answer = await call();
  tally.record(kind, wire.arrivedAtMs - dueAtMs);
  return answer;
}

function judge(tally: Tally, kind: Kind, why: string | null): void {
  if (why !== null) tally.isWrong(kind, why);
}

/**
 * Loads the next match of a device and works with it.
 * @param number number of the match, counted from 0
 * @param dueAtMs due time of the upload, by `performance.now()`
 */
export async function afterMatch(
  loading: Loading,
  device: Device,
  number: number,
  dueAtMs: number,
): Promise<void> {
  const match = matchOf(device, number, loading.sessions);
  try {
    await load(loading, device, match, dueAtMs);
    await makeTimeframe(loading, device, match);
    await train(loading, device, match);
  } catch (error) {
    loading.tally.hasFailed(`after match ${number} of ${device.serial}`, error);
  }
}

async function load(loading: Loading, device: Device, match: Match, dueAtMs: number): Promise<void> {
  const { asi } = loading.wire;
  const { tally } = loading;
  const isKnown = device.matches.some(({ startMs }) => startMs === match.startMs);
  const begin = performance.now();
  const recording = await record(device.serial, match);
  // A real device already stores its recording, so creating the recording does not count as part of the upload.
  const uploadDueAtMs = dueAtMs + (performance.now() - begin);
  if (!isKnown) device.loading = match;
  try {
    const upload = () => asi.upload(device.id, recording);
    const { job_id } = await timed(loading, "bulk load, until accepted", upload, uploadDueAtMs);
    const signal = AbortSignal.timeout(JOB_TIMEOUT_MS);
    const waiting = () => asi.waitForJob(job_id, { intervalMs: POLL_MS, signal });
    const { details } = await timed(loading, "bulk load, until stored", waiting, uploadDueAtMs);
    const { samples_read, samples_stored, samples_known, samples_refused } = details;
    const counts = { samples_read, samples_stored, samples_known, samples_refused };
    const expected = {
      samples_read: MATCH_SAMPLES,
      samples_stored: isKnown ? 0 : MATCH_SAMPLES,
      samples_known: isKnown ? MATCH_SAMPLES : 0,
      samples_refused: 0,
    };
    judge(tally, "bulk load, until stored", differs(counts, expected));
    if (!isKnown) device.matches = [...device.matches, match];
  } catch (error) {
    if (error instanceof JobFailedError) judge(tally, "bulk load, until stored", error.message);
    throw error;
  } finally {
    device.loading = null;
  }
}

const timeframeBody = ({ team }: Loading, device: Device, match: Match, activity: number) => ({
  start_time: new Date(match.startMs).toISOString(),
  end_time: new Date(stopMsOf(match)).toISOString(),
  params: {},
  device: device.id,
  activity,
  athlete: team.athlete,
  owner: team.id,
  json_schema: team.timeframeSchema,
});

/** Creates a time frame of the match, reads its computed data, and changes the maximum heart rate. */
async function makeTimeframe(loading: Loading, device: Device, match: Match): Promise<void> {
  const { team, wire, tally, book } = loading;
  const { activity, webhook } = team.match;
  team.creating = match;
  const { id: timeframe } = await timed(loading, "time frame created", () =>
    unwrap(wire.asi.POST("/api/v1/timeframes/", { body: timeframeBody(loading, device, match, activity) })),
  );
  book.expect({ webhook, event: "timeframe-created", activity, timeframe });
  team.timeframes = [...team.timeframes, { id: timeframe, device: device.id, match }];
  team.creating = null;
  const params = { path: { timeframe } };
  const figures = await timed(loading, "computed data of a new time frame", () =>
    unwrap(wire.asi.GET("/api/v1/timeframes/{timeframe}/computed-data/", { params })),
  );
  judge(tally, "computed data of a new time frame", wrongFigures(figures, match));
  const changed = await timed(loading, "time frame updated", () =>
    unwrap(wire.asi.PATCH("/api/v1/timeframes/{timeframe}/", { params, body: { params: { max_hr: 195 } } })),
  );
  judge(tally, "time frame updated", differs(changed.params, { max_hr: 195 }));
  book.expect({ webhook, event: "timeframe-updated", activity, timeframe });
}

/**
 * Creates and deletes a time frame, which must cause no webhook event, and changes a name, which must cause one.
 */
async function train(loading: Loading, device: Device, match: Match): Promise<void> {
  const { team, wire, tally, book } = loading;
  const { activity, webhook } = team.training;
  const { id: timeframe } = await timed(loading, "time frame created", () =>
    unwrap(wire.asi.POST("/api/v1/timeframes/", { body: timeframeBody(loading, device, match, activity) })),
  );
  await timed(loading, "time frame deleted", () =>
    unwrap(wire.asi.DELETE("/api/v1/timeframes/{timeframe}/", { params: { path: { timeframe } } })),
  );
  const name = `Training after time frame ${timeframe}`;
  const renamed = await timed(loading, "activity updated", () =>
    unwrap(
      wire.asi.PATCH("/api/v1/activities/{activity}/", { params: { path: { activity } }, body: { name } }),
    ),
  );
  judge(tally, "activity updated", differs(renamed.name, name));
  book.expect({ webhook, event: "activity-updated", activity });
}

/** A recording to convert, with the expected result. */
export interface Conversion {
  recording: Uint8Array<ArrayBuffer>;
  fileName: string;
  sha256: string;
}

export async function newConversion(serial: string, match: Match): Promise<Conversion> {
  return { recording: await record(serial, match), ...expectedCsv(serial, match) };
}

/** Converts a recording with an account without devices. */
export async function convert(
  { wire, tally }: Pick<Loading, "wire" | "tally">,
  { recording, fileName, sha256 }: Conversion,
  dueAtMs: number,
): Promise<void> {
  try {
    const converted = await timed({ wire, tally }, "conversion", () => wire.asi.convert(recording), dueAtMs);
    const csv = await new Response(converted.csv).arrayBuffer();
    const got = {
      fileName: converted.fileName,
      sha256: createHash("sha256").update(Buffer.from(csv)).digest("hex"),
    };
    judge(tally, "conversion", differs(got, { fileName, sha256 }));
  } catch (error) {
    tally.hasFailed("conversion", error);
  }
}
