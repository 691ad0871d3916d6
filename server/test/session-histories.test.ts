/**
 * Tests random histories of a session with all changes to samples, rights, players and time frames. After each step, each reader
 * reads everything, and a small model decides for every figure whether this reader may see it.
 */
import fc from "fast-check";
import { describe, expect } from "vitest";
import { withOwnService } from "./file-service.js";
import type { TestAccount } from "./service.js";
import { PLAYERS, SessionHistory } from "./session-history.js";
import { BLOCKS, type Frame, type Stored } from "./session-model.js";
import { step } from "./session-steps.js";

const it = withOwnService();

/**
 * Number of steps, each followed by reads of all readers. `npm test` runs some, `npm run test:more` more, and the long form
 * 10,000.
 */
const STEPS = Number(process.env.SESSION_STEPS ?? (process.env.TEST_ALL_HISTORIES === "1" ? 600 : 30));
const STEPS_OF_HISTORY = 30;

interface Row {
  athlete: number;
  player: string;
  period: string | null;
  timeframes: number[];
  left_out_devices: unknown[];
  figures: { distance_m: number | null };
}

/** Players whose figures are missing or may still change. */
interface Unfinished {
  computing: { player: string }[];
  left_out: { player?: string; reason: string }[];
}

interface Truth {
  frames: readonly Frame[];
  samples: readonly Stored[];
}

const keyOf = ({ athlete, period }: Pick<Row, "athlete" | "period">) => `${athlete} ${period ?? ""}`;

interface PeriodRow {
  name: string;
  start_time: string | null;
  athlete: number | null;
}

/** Returns whether a period has a time for the athlete of a row. Rows with the athlete replace rows without an athlete. */
function hasTime(
  { athlete, period }: Pick<Row, "athlete" | "period">,
  periods: readonly PeriodRow[],
): boolean {
  if (period === null) return true;
  const named = periods.filter(({ name }) => name === period);
  const own = named.filter((row) => row.athlete === athlete);
  const rows = own.length > 0 ? own : named.filter((row) => row.athlete === null);
  return rows.some(({ start_time }) => start_time !== null);
}

/** Checks that the table has exactly the rows that the owner may read, from exactly the samples that count. */
async function checkTable(history: SessionHistory, { frames, samples }: Truth): Promise<void> {
  const { s, session, model, owner } = history;
  const path = `/api/v2/sessions/${session}/figures/`;
  const { status, body } = await s.get(path, owner.token);
  expect(status).toBe(200);
  const rows = body.rows as Row[];
  // A row without time frames means that the player does not take part.
  const isIdle = ({ timeframes, left_out_devices }: Row) => timeframes.length + left_out_devices.length === 0;
  for (const { figures } of rows.filter(isIdle)) expect(figures.distance_m).toBeNull();
  const shown = rows.filter((row) => !isIdle(row));
  const periods: PeriodRow[] = (await s.get(`/api/v2/sessions/${session}/periods/`, owner.token)).body;
  // The periods of an erased athlete are deleted, but version 1 may have assigned one of their time frames to another athlete.
  const known = new Set(["", ...history.periods.map(({ name }) => name)]);
  expect(new Set(["", ...periods.map(({ name }) => name)])).toEqual(known);
  const ofPeriods = frames.filter(({ period }) => known.has(period));
  expect(shown.map(keyOf).sort()).toEqual(model.visible(owner.id, ofPeriods));
  for (const row of shown) {
    const { distance_m } = row.figures;
    // With version 1, a time frame can get an athlete for whom its period has no time. The row then has no figures.
    if (!hasTime(row, periods)) expect(distance_m).toBeNull();
    else checkDistance(history, distance_m, keyOf(row), { frames, samples });
  }
  const csv = await s.get(path, owner.token, { Accept: "text/csv" });
  expect(csv.status).toBe(200);
  const { computing, left_out } = body as Unfinished;
  // A file also has a row without figures for each player whom the table leaves out, with the reason.
  const names = new Set([...rows, ...left_out, ...computing].map(({ player }) => player));
  for (const { username } of history.athletes)
    expect([username, csv.body.includes(username)]).toEqual([username, names.has(username)]);
}

function checkDistance(
  history: SessionHistory,
  distance: number | null,
  key: string,
  { frames, samples }: Truth,
): void {
  const { model, owner } = history;
  const trackers = frames.filter((frame) => keyOf(frame).startsWith(`${key.split(" ", 1)[0]} `));
  const own = frames.filter((frame) => keyOf(frame) === key);
  const isRight = model.isDistanceOf(distance, owner.id, {
    frames: own,
    times: history.times,
    trackers,
    samples,
  });
  expect(isRight, JSON.stringify({ key, distance, own, samples, ownerships: model.ownerships })).toBe(true);
}

/** Checks that the season contains only figures of whole sessions that the owner may read. */
async function checkSeason(history: SessionHistory, truth: Truth): Promise<void> {
  const { s, squad, session, model, owner } = history;
  const { status, body } = await s.get(`/api/v2/squads/${squad}/season/`, owner.token);
  expect(status).toBe(200);
  for (const { athlete, entries } of body.players as {
    athlete: number;
    entries: { session: number; figures: Row["figures"] }[];
  }[]) {
    const whole = truth.frames.filter((frame) => frame.athlete === athlete && frame.period === "");
    for (const { figures, session: of } of entries) {
      expect(of).toBe(session);
      expect(whole.map(({ span }) => model.mayRead(owner.id, athlete, span))).not.toContain(false);
      expect(whole).not.toEqual([]);
      checkDistance(history, figures.distance_m, `${athlete} `, truth);
    }
  }
}

/**
 * Checks the computed data of version 1. Anyone who may read the athlete gets them, from samples that the owner of the time frame
 * owned.
 */
async function checkComputed(
  { s, model, owner }: SessionHistory,
  reader: TestAccount,
  frame: Frame,
  { samples }: Truth,
): Promise<void> {
  const { status, body } = await s.get(`/api/v1/timeframes/${frame.id}/computed-data/`, reader.token);
  const isReadable = model.mayRead(reader.id, frame.athlete, frame.span);
  expect([reader.id, frame, status]).toEqual([reader.id, frame, isReadable ? 200 : 403]);
  if (!isReadable) return;
  const distance: number | null = body.total_distance || null;
  const of = { frames: [frame], trackers: [frame], samples };
  const isRight = model.isDistanceOf(distance, owner.id, of);
  expect(isRight, JSON.stringify({ frame, distance, samples, ownerships: model.ownerships })).toBe(true);
}

/** Checks that another account cannot read the session, and that athletes read at most their own rows. */
async function checkOthers(
  { s, session, squad, managers }: SessionHistory,
  { id, token }: TestAccount,
): Promise<void> {
  const [, other] = managers as [TestAccount, TestAccount];
  for (const path of [`/api/v2/sessions/${session}/figures/`, `/api/v2/squads/${squad}/season/`]) {
    expect((await s.get(path, other.token)).status).toBe(404);
    const { status, body } = await s.get(path, token);
    expect([200, 403, 404]).toContain(status);
    const seen: { athlete: number }[] = status === 200 ? (body.rows ?? body.players) : [];
    expect(seen.filter(({ athlete }) => athlete !== id)).toEqual([]);
  }
}

/**
 * Checks all reads.
 * @param turn selects the time frame and the athlete of this check, one after another
 */
async function check(history: SessionHistory, turn: number): Promise<void> {
  const truth = { frames: await history.frames(), samples: await history.samples() };
  await checkTable(history, truth);
  await checkSeason(history, truth);
  const frame = truth.frames[turn % Math.max(1, truth.frames.length)];
  if (frame !== undefined)
    for (const reader of history.managers) await checkComputed(history, reader, frame, truth);
  await checkOthers(history, history.athlete(turn % PLAYERS));
}

describe("random histories of a session", () => {
  it("no one can read a figure of an athlete, a time or a sample without the required right", async ({
    service,
  }) => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.boolean()), { minLength: STEPS_OF_HISTORY, maxLength: STEPS_OF_HISTORY }),
        async (steps) => {
          const history = await SessionHistory.begin(service);
          await history.act({ do: "upload", by: 0, device: 0, span: { from: 0, to: BLOCKS } });
          for (const [one, isReadMeanwhile] of steps) {
            // A table that was computed during the change must not remain stored.
            const reading = isReadMeanwhile
              ? service.get(`/api/v2/sessions/${history.session}/figures/`, history.owner.token)
              : undefined;
            await history.act(one);
            await reading;
            await check(history, count++);
          }
          await history.act({ do: "run jobs" });
          await check(history, count);
          await history.end();
        },
      ),
      { numRuns: Math.ceil(STEPS / STEPS_OF_HISTORY), endOnFailure: true },
    );
    expect(count).toBeGreaterThanOrEqual(STEPS);
  }, 1_800_000);
});
