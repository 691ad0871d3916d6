/** Tests of the changes to the periods of several sessions in one squad. */
import { signal } from "@preact/signals";
import type { SessionPeriod } from "asi-convert/squad";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OpenRecording } from "../src/recording/squad/squad-recording.js";
import { clockOf } from "../src/squad/clock/clock-state.js";
import { markedPart } from "../src/squad/clock/marked-part.js";
import { showSession } from "../src/squad/look-at-actions.js";
import { applyState, type SessionState, stateOf } from "../src/squad/session-state.js";
import { SquadSession } from "../src/squad/squad-session.js";
import type { StoredSession } from "../src/squad/stored-session.js";
import type { SquadWorkers } from "../src/squad/workers.js";
import type { Settings } from "../src/view/settings.js";

const at = (hour: number, minute = 0) => Date.UTC(2026, 4, 16, hour, minute);
const period = (name: string, startMs: number, minutes = 20): SessionPeriod => ({
  name,
  all: { startMs, endMs: startMs + minutes * 60_000 },
  own: new Map(),
  line: 0,
});

const NAMES = ["a.asi", "b.asi", "c.asi"];
/** Two players in the morning, and one in the afternoon. */
const HOURS = [9, 9, 15];

function recording(id: number, fileName: string, hour: number): OpenRecording {
  const length = 90 * 60;
  return {
    id,
    fileName,
    serial: fileName,
    file: new File([], fileName),
    shiftMs: 0,
    startMs: at(hour),
    endMs: at(hour, 90),
    samples: { length, timestampMs: new Float64Array(length).map((_, i) => at(hour) + 1000 * i) },
    damagedAfterMs: [],
    place: null,
  } as unknown as OpenRecording;
}

function newSession(stored: StoredSession | null = null, hours: readonly number[] = HOURS) {
  let read = 0;
  const workers = {
    count: 1,
    read: async () => {
      const number = read++ % hours.length;
      return recording(read, NAMES[number] ?? "", hours[number] ?? 0);
    },
    figures: async (members: unknown[]) =>
      members.map(() => ({ metrics: null, hrCoverage: null, trimp: null })),
    forget: () => undefined,
    end: () => undefined,
  } as unknown as SquadWorkers;
  const settings = { zone: signal("utc"), preset: signal("soccer") } as unknown as Settings;
  const session = new SquadSession(
    settings,
    workers,
    { onPlayer: async () => {}, onClose: () => {} },
    stored,
  );
  // otherwise it would look for substitutions after the test
  onTestFinished(() => session.close());
  return session;
}

async function openFiles(hours = HOURS): Promise<SquadSession> {
  const session = newSession(null, hours);
  await session.opened.add(NAMES.slice(0, hours.length).map((name) => new File([], name)));
  return session;
}

async function openStored(): Promise<SquadSession> {
  const stored = {
    periods: [period("Warm-up", at(9)), period("Shots", at(15))],
    roster: { players: [] },
    ranges: new Map(NAMES.map((name) => [name, {}])),
    missing: [],
    afterSigningIn: (work: () => Promise<unknown>) => work(),
  } as unknown as StoredSession;
  const session = newSession(stored);
  await session.opened.addRanges();
  return session;
}

const names = ({ periods }: SquadSession) => periods.value.map(({ name }) => name);
const add = ({ periods, periodSteps }: SquadSession, added: SessionPeriod) =>
  periodSteps.change({ periods: [...periods.peek(), added] });
const MORNING = 1;
const AFTERNOON = 3;

describe("changes to the periods", () => {
  it("stay with their session when another one is shown, and undo concerns only that one", async () => {
    const session = await openFiles();
    add(session, period("Drill 1", at(9, 30)));
    add(session, period("Drill 2", at(9, 55)));
    session.periodSteps.change({ attack: new Map([["Drill 1", "left"]]) });
    showSession(session, AFTERNOON);
    expect([names(session), session.attack.value.size]).toEqual([[], 0]);
    session.periodSteps.undo();
    expect([names(session), session.periodSteps.past.value]).toEqual([[], []]);
    add(session, period("Shots", at(15, 30)));
    showSession(session, MORNING);
    expect([names(session), [...session.attack.value]]).toEqual([
      ["Drill 1", "Drill 2"],
      [["Drill 1", "left"]],
    ]);
    session.periodSteps.undo();
    session.periodSteps.undo();
    expect(names(session)).toEqual(["Drill 1"]);
    showSession(session, AFTERNOON);
    expect(names(session)).toEqual(["Shots"]);
  });

  it("stay with their session when added recordings form a larger one", async () => {
    const session = await openFiles([9, 15, 15]);
    // the afternoon has more recordings
    const [, second, third] = session.files.peek().map(({ id }) => id);
    session.opened.remove(second ?? 0);
    session.opened.remove(third ?? 0);
    add(session, period("Drill", at(9, 30)));
    await session.opened.add([new File([], "x"), new File([], "y"), new File([], "z")]);
    expect([session.shownRecordings.value.length, names(session)]).toEqual([2, []]);
    showSession(session, MORNING);
    expect(names(session)).toEqual(["Drill"]);
  });

  it("stay when the only recording of a session is replaced", async () => {
    const session = await openFiles([9]);
    add(session, period("Drill", at(9, 30)));
    await session.opened.replace(session.files.peek()[0]?.id ?? 0, new File([], "again"));
    expect(names(session)).toEqual(["Drill"]);
  });

  it("are restored after a reload with the shown session", async () => {
    const before = await openFiles();
    add(before, period("Drill", at(9, 30)));
    showSession(before, AFTERNOON);
    add(before, period("Shots", at(15, 30)));
    const kept = JSON.parse(JSON.stringify(stateOf(before))) as SessionState;
    const after = await openFiles();
    await applyState(after, kept);
    expect([after.shownRecordings.value.map(({ fileName }) => fileName), names(after)]).toEqual([
      ["c.asi"],
      ["Shots"],
    ]);
    showSession(after, MORNING);
    expect(names(after)).toEqual(["Drill"]);
  });

  it("belong to the whole session in the service, whichever part is shown", async () => {
    const session = await openStored();
    add(session, period("Drill", at(9, 30)));
    showSession(session, AFTERNOON);
    expect(names(session)).toEqual(["Warm-up", "Shots", "Drill"]);
    session.periodSteps.undo();
    expect(names(session)).toEqual(["Warm-up", "Shots"]);
  });

  it("keep the other stored periods when one is dragged first", async () => {
    const session = await openStored();
    session.scope.value = { kind: "period", name: "Warm-up" };
    markedPart(clockOf(session)).value = { startMs: at(9), stopMs: at(9, 25) };
    expect(session.periods.value.map(({ name, all }) => [name, all?.endMs])).toEqual([
      ["Warm-up", at(9, 25)],
      ["Shots", at(15, 20)],
    ]);
  });
});
