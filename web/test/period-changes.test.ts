/** Tests of the changes to the periods of several sessions in one squad. */
import { signal } from "@preact/signals";
import type { SessionPeriod } from "asi-convert/squad";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OpenRecording } from "../src/recording/squad/squad-recording.js";
import { clockOf } from "../src/squad/clock/clock-state.js";
import { markedPart } from "../src/squad/clock/marked-part.js";
import { withEnds } from "../src/squad/clock/period-edits.js";
import { ofSubstitutions, refuseSubstitutions } from "../src/squad/clock/substitutions.js";
import { ignore } from "../src/squad/ignore.js";
import { isIgnored } from "../src/squad/ignored.js";
import { lookAt } from "../src/squad/look-at.js";
import { nameTracker, showSession } from "../src/squad/look-at-actions.js";
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
    samples: {
      length,
      timestampMs: new Float64Array(length).map((_, i) => at(hour) + 1000 * i),
      speedMmPerS: new Int32Array(length),
      latitudeE7: new Int32Array(length),
      longitudeE7: new Int32Array(length),
    },
    damagedAfterMs: [],
    place: null,
  } as unknown as OpenRecording;
}

const noFigures = (members: unknown[], _: { preset?: string }): object[] =>
  members.map(() => ({ metrics: null, hrCoverage: null, trimp: null }));

function newSession(
  stored: StoredSession | null = null,
  hours: readonly number[] = HOURS,
  figures = noFigures,
) {
  let read = 0;
  const workers = {
    count: 1,
    read: async () => {
      const number = read++ % hours.length;
      return recording(read, NAMES[number] ?? "", hours[number] ?? 0);
    },
    figures: async (members: unknown[], options: { preset?: string }) => figures(members, options),
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
const keptOf = (session: SquadSession) => JSON.parse(JSON.stringify(stateOf(session))) as SessionState;
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
    const after = await openFiles();
    applyState(
      after,
      keptOf(before),
      after.files.peek().map(({ file }) => file),
    );
    expect([after.shownRecordings.value.map(({ fileName }) => fileName), names(after)]).toEqual([
      ["c.asi"],
      ["Shots"],
    ]);
    showSession(after, MORNING);
    expect(names(after)).toEqual(["Drill"]);
  });

  it("are restored after a reload with the directions of play, and with times that a mistyped end has cut", async () => {
    const before = await openFiles();
    before.periodSteps.change({ attack: new Map([["1st half", "left"]]) });
    showSession(before, AFTERNOON);
    const all = { startMs: at(15), endMs: at(15, 45) };
    const half = {
      ...period("Half", at(15), 45),
      own: new Map([["ada", [{ ...all, startMs: at(15, 30) }]]]),
    };
    add(before, half);
    const mistyped = { ...all, endMs: at(15, 4) };
    before.periodSteps.change({ periods: withEnds(before.periods.peek(), "Half", mistyped) });
    expect(before.periods.value[0]?.own.get("ada")).toEqual([]);
    const after = await openFiles();
    applyState(
      after,
      keptOf(before),
      after.files.peek().map(({ file }) => file),
    );
    expect(withEnds(after.periods.value, "Half", all)[0]?.own).toEqual(half.own);
    showSession(after, MORNING);
    expect([...after.attack.value]).toEqual([["1st half", "left"]]);
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

const sheet = (name: string, ...lines: string[]) => new File([lines.join("\n")], name);
const meanings = (session: SquadSession) => lookAt(session).map(({ meaning }) => meaning);

describe("a file that is added after changes of the user", () => {
  const added = sheet("periods.csv", "period,start,end", "Shots,09:05,09:20", "Sprints,09:30,later");

  it("replaces changed periods as one step that can be undone, and shows its problems", async () => {
    const session = await openFiles();
    add(session, period("Drill", at(9, 30)));
    await session.opened.add([added]);
    expect(names(session)).toEqual(["Shots"]);
    expect(meanings(session)).toContainEqual(expect.stringContaining("later"));
    session.periodSteps.undo();
    expect(names(session)).toEqual(["Drill"]);
    session.periodSteps.redo();
    add(session, period("Extra", at(9, 50)));
    await session.opened.add([sheet("roster.csv", "player,serial", "Ada,a.asi")]);
    expect(names(session)).toEqual(["Shots", "Extra"]);
  });

  it("replaces the changed periods of a session in the service", async () => {
    const session = await openStored();
    add(session, period("Drill", at(9, 30)));
    await session.opened.add([added]);
    expect(names(session)).toEqual(["Shots"]);
    session.periodSteps.undo();
    expect(names(session)).toEqual(["Warm-up", "Shots", "Drill"]);
  });

  it("does not replace changed periods if none of its periods can be read, and says why", async () => {
    const session = await openFiles();
    add(session, period("Drill", at(9, 30)));
    await session.opened.add([sheet("periods.csv", "period,start,end", "Sprints,09:30,later")]);
    expect(names(session)).toEqual(["Drill"]);
    expect(meanings(session)).toContainEqual(expect.stringContaining("later"));
  });

  it("names a tracker that the user assigned to another player", async () => {
    const session = await openFiles();
    await session.opened.add([sheet("roster.csv", "player,serial", "Ada,a.asi", "Eve,", "Ida,")]);
    nameTracker(session, "Eve", "b.asi");
    nameTracker(session, "Ida", "c.asi");
    const playerOf = () => session.players.value.map(({ name, recordings: [one] }) => [name, one?.serial]);
    expect(playerOf()).toContainEqual(["Eve", "b.asi"]);
    await session.opened.add([sheet("roster.csv", "player,serial,file", "Eve,,", "Bea,,b*", "Ida,,")]);
    expect(playerOf()).toContainEqual(["Bea", "b.asi"]);
    expect([...session.trackerNames.value]).toEqual([["Ida", "c.asi"]]);
  });
});

describe("the figures", () => {
  it("do not count the time of a recording that is left out", async () => {
    const session = await openFiles([9, 10]);
    // two simultaneous recordings of one player
    await session.opened.add([sheet("roster.csv", "player,serial", "Ada,a.asi b.asi")]);
    const [row] = await session.rowsOf({ kind: "session" });
    expect([row?.member.leftOut.length, row?.periodMs]).toEqual([1, 90 * 60_000]);
  });

  it("give the reason if they cannot be computed, until they can be", async () => {
    let isRefused = true;
    const session = newSession(null, [9], (members) => {
      if (isRefused) throw new Error("No such threshold.");
      return noFigures(members, {});
    });
    await session.opened.add([new File([], "a.asi")]);
    await expect.poll(() => meanings(session)).toEqual(["No such threshold."]);
    isRefused = false;
    session.zones.value = "mss";
    await expect.poll(() => meanings(session)).toEqual([]);
  });

  it("tell players of another sport again after a change of the preset", async () => {
    const session = newSession(null, [9], (members, { preset }) =>
      noFigures(members, {}).map((one) => ({
        ...one,
        metrics: {
          definition: { parameters: { max_valid_speed: preset === "soccer" ? 12 : 25 } },
          time_per_speed_ranges: [],
        },
      })),
    );
    await session.opened.add([new File([], "a.asi")]);
    session.shownRecordings.value[0]?.samples.speedMmPerS.fill(15_000);
    const sports = () => lookAt(session).map(({ what }) => what);
    await expect.poll(sports).toEqual(["Another sport?"]);
    session.settings.preset.value = "biking";
    await expect.poll(sports).toEqual([]);
  });
});

describe("a dismissal", () => {
  const suggested = { periods: [period("1st half", at(9))], players: ["Ada"] };
  const isAsked = (session: SquadSession) => ofSubstitutions(session, suggested, () => {}).length > 0;

  it("of suggested substitutions concerns only its session, also after a reload with other ids", async () => {
    const before = await openFiles();
    refuseSubstitutions(before, suggested);
    expect([isAsked(before), before.played.isRefused(suggested)]).toEqual([false, true]);
    showSession(before, AFTERNOON);
    expect([isAsked(before), before.played.isRefused(suggested)]).toEqual([true, false]);
    // the recordings get other ids
    const after = await openFiles();
    for (const { id } of after.files.peek()) after.opened.remove(id);
    await after.opened.add(NAMES.map((name) => new File([], name)));
    applyState(
      after,
      keptOf(before),
      after.files.peek().map(({ file }) => file),
    );
    expect([after.shownRecordings.value.map(({ id }) => id), isAsked(after)]).toEqual([[6], true]);
    showSession(after, 4);
    expect(isAsked(after)).toBe(false);
  });

  it("of periods outside the recordings concerns only its session and these periods", async () => {
    const session = await openFiles();
    const outside = () => lookAt(session).filter(({ what }) => what === "Not within the recordings.");
    add(session, period("Early", at(3)));
    const [first] = outside();
    for (const action of first?.actions ?? []) if ("press" in action) action.press();
    expect([first?.actions.length, outside().length]).toEqual([1, 0]);
    add(session, period("Late", at(23)));
    expect(outside().map(({ meaning }) => meaning.includes("Late"))).toEqual([true]);
    showSession(session, AFTERNOON);
    add(session, period("Early", at(3)));
    expect(outside()).toHaveLength(1);
  });

  it("of periods suggested from the pauses concerns only its session", async () => {
    const session = await openFiles();
    const { refusal } = clockOf(session);
    ignore(session, refusal.peek());
    expect(isIgnored(session.ignored.value, refusal.value)).toBe(true);
    showSession(session, AFTERNOON);
    expect(isIgnored(session.ignored.value, refusal.value)).toBe(false);
  });
});
