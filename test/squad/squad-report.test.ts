import { describe, expect, it } from "vitest";
import { decode } from "../../src/index.js";
import { encode } from "../../src/recording/encode.js";
import { joinBatches } from "../../src/rows/sample-batch.js";
import { joinedPeriods, MATCH, type SessionPeriod, squadMembers, squadRows } from "../../src/squad/index.js";
import { readPeriods, readRoster } from "../../src/squad/sheets.js";
import { marksInWords } from "../../src/squad-report/row-marks.js";
import { recordingsInWords, squadReport } from "../../src/squad-report/squad-report.js";
import type { SampleBatch } from "../../src/types.js";
import { wholeBytes } from "../whole.js";
import { recordingOfRows, rowsAt } from "./recordings.js";

const START_MS = Date.UTC(2026, 4, 16, 13);

/** Ten minutes along a line, at a speed in m/s. */
async function recordingOf(fileName: string, speed: number, fromSecond = 0, hr: number | null = 150) {
  const rows = Array.from({ length: 600 - fromSecond }, (_, i) => ({
    timestamp: START_MS + (fromSecond + i) * 1000,
    latitude: 46.9629 + i * 1e-6,
    longitude: 7.4648 + Math.sin(i / 30) * 5e-4,
    speed,
    hr,
  }));
  const batches: SampleBatch[] = [];
  for await (const batch of decode(await wholeBytes(encode(rows, { serial: fileName })))) batches.push(batch);
  return {
    fileName: `${fileName}.asi`,
    serial: fileName,
    samples: joinBatches(batches),
    isDamaged: false,
    isTruncated: false,
    damagedAfterMs: [],
  };
}

async function report() {
  const recordings = [await recordingOf("A", 3), await recordingOf("B", 8), await recordingOf("C", 4, 300)];
  const { roster } = readRoster(
    'player;serial;number;position\n"<img src=x>";A;1;GK\nKunz;B;11;fw\nLang;C;10;FW\n',
  );
  const members = squadMembers(recordings, roster);
  const session = { startMs: START_MS, endMs: START_MS + 600_000 };
  const { periods } = readPeriods("period;start;end\nFirst;13:00;13:05\nSecond;13:05;13:10\n", {
    session,
    players: members.map(({ name }) => name),
  });
  const rows = squadRows(members, periods);
  return squadReport({ title: "Training", subtitle: "16 May", rows, periods, offsetMs: 0 });
}

const textOf = (html: string) =>
  html
    .replace(/<(style|script)>.*?<\/\1>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

describe("the report of a squad", () => {
  it("has a page for each player, with the figures of the session and of each period in their order", async () => {
    const html = await report();
    const pages = html.split('<section class="player-page"').slice(1);
    expect(pages).toHaveLength(3);
    expect(textOf(pages[1] ?? "")).toMatch(
      /11 Kunz fw · B .*First 5 2,392 .*Second 5 2,392 .*Session 10 4,792 .*Mean of 1 FW/,
    );
  });

  it("says that the match is without its extra time, only if there is extra time", async () => {
    const members = squadMembers([await recordingOf("A", 3)], null);
    const minutes = (name: string, from: number, to: number): SessionPeriod => ({
      name,
      all: { startMs: START_MS + from * 60_000, endMs: START_MS + to * 60_000 },
      own: new Map(),
      line: 0,
    });
    const halves = [minutes("1. Halbzeit", 0, 45), minutes("2. Halbzeit", 60, 105)];
    const textWith = (...others: SessionPeriod[]) => {
      const periods = [...halves, ...others];
      const rows = squadRows(members, [...periods, joinedPeriods(MATCH, halves, [])]);
      return textOf(squadReport({ title: "Cup", subtitle: "", rows, periods, offsetMs: 0 }));
    };
    const note = "Match is the sum of the two halves, without extra time.";
    for (const name of [
      "Extra time, 1st half",
      "Verlängerung 1",
      "3. Halbzeit",
      "ET1",
      "OT 2",
      "1st overtime",
      "Prórroga",
      "Primo tempo supplementare",
      "Tempi supplementari",
      "Verlenging",
    ]) {
      expect(textWith(minutes(name, 110, 125)).split(note)).toHaveLength(2);
    }
    expect(textWith()).not.toContain(note);
    for (const name of ["Cool-down", "Étirements et récupération", "Supplementary runs", "Rotation"])
      expect(textWith(minutes(name, 110, 125))).not.toContain(note);
    expect(textWith(minutes("Before the 1st half", -20, 0))).not.toContain(note);
  });

  it("shows how many players a mean includes if some of them have no value", async () => {
    const recordings = [await recordingOf("A", 3), await recordingOf("B", 5, 0, null)];
    const rows = squadRows(squadMembers(recordings, null), []);
    const html = squadReport({ title: "Training", subtitle: "", rows, periods: [], offsetMs: 0 });
    const [squad, ...players] = html.split('<section class="player-page"').map(textOf);
    expect(squad).toMatch(/Mean of 2 who play at least 90 % of the period 10 2,396 [^a-z]*150 of 1 /);
    expect(players).toHaveLength(2);
    for (const player of players) expect(player).toMatch(/Mean of 2 players 10 2,396 [^a-z]*150 of 1 /);
  });

  it("reports which figures exclude a part of the time, and why", async () => {
    const text = textOf(await report());
    expect(text).toContain("10 Lang: 49 %.");
    expect(text).toContain("Recordings are complete and undamaged for 2 of 3 players.");
    expect(text).toMatch(/10 Lang 49 % 5 ≥1,196/);
  });

  it("says which part of the heart rate is missing in figures that are lower bounds", () => {
    const samples = rowsAt(Array.from({ length: 1000 }, (_, second) => START_MS + second * 1000));
    const withHr = (share: number) => ({
      ...samples,
      hr: samples.hr.map((_, row) => (row < share * 1000 ? 150 : 0)),
    });
    const textWith = (share: number) => {
      const members = squadMembers([recordingOfRows("A", withHr(share))], null);
      return textOf(
        squadReport({ title: "T", subtitle: "S", rows: squadRows(members, []), periods: [], offsetMs: 0 }),
      );
    };
    expect(textWith(0.92)).toContain("HR 92 %. Heart-rate figures with ≥ miss 8 % of the time.");
    expect(textWith(0.97)).toContain("The recording is complete and undamaged.");
  });

  it("counts recordings as complete and undamaged even if no one wears a heart-rate belt", () => {
    const samples = rowsAt(Array.from({ length: 600 }, (_, second) => START_MS + second * 1000));
    const members = squadMembers([recordingOfRows("A", samples), recordingOfRows("B", samples)], null);
    const text = textOf(
      squadReport({ title: "T", subtitle: "S", rows: squadRows(members, []), periods: [], offsetMs: 0 }),
    );
    expect(text).toContain("Recordings are complete and undamaged for 2 of 2 players. A: HR 0 %; B: HR 0 %.");
  });

  it("counts players, including one with two recordings and one with an unreadable file", () => {
    const first = Array.from({ length: 300 }, (_, second) => START_MS + second * 1000);
    const second = first.map((ms) => ms + 300_000);
    const recordings = [
      recordingOfRows("A", rowsAt([...first, ...second])),
      recordingOfRows("B", rowsAt(first)),
      recordingOfRows("C", rowsAt(second)),
    ];
    const { roster } = readRoster("player;serial\nAda;A\nBea;B C\n");
    const rows = squadRows(squadMembers(recordings, roster), []);
    const [ada] = rows;
    if (ada === undefined) throw new Error("no row");
    const unread = { ...ada, member: { ...ada.member, name: "Cleo", recordings: [] }, metrics: null };
    expect(recordingsInWords([...rows, { ...unread, coverage: null, hrCoverage: null }], 0)).toMatch(
      /^Recordings are complete and undamaged for 2 of 2 players\./,
    );
  });

  it("reports when data are missing because of damage, in local time, and hatches the strip there", () => {
    // a row a second with two gaps, one of them at the damaged place
    const seconds = Array.from({ length: 600 }, (_, i) => i).filter(
      (second) => (second < 100 || second >= 130) && (second < 300 || second >= 350),
    );
    const rows = rowsAt(seconds.map((second) => START_MS + second * 1000));
    const damaged = { ...recordingOfRows("A", rows), isDamaged: true, damagedAfterMs: [START_MS + 299_000] };
    const marksOfDamage = (recording: typeof damaged & { hasMoreDamage?: boolean }) =>
      squadRows(squadMembers([recording], { players: [] }), []).flatMap((row) =>
        marksInWords(row, 7_200_000),
      );
    const [most] = marksOfDamage({ ...damaged, hasMoreDamage: true });
    expect(most).toBe("damaged, no data from 15:04:59 to 15:05:50 and perhaps elsewhere");
    const damagedAfterMs = [START_MS + 99_000, START_MS + 299_000];
    expect(marksOfDamage({ ...damaged, damagedAfterMs })[0]).toMatch(/ and in 1 shorter gap$/);
    const [several] = marksOfDamage({ ...damaged, damagedAfterMs, hasMoreDamage: true });
    expect(several).toMatch(/ and in at least 1 other gap$/);
    const html = squadReport({
      title: "Training",
      subtitle: "16 May",
      rows: squadRows(squadMembers([damaged], { players: [] }), []),
      periods: [],
      offsetMs: 7_200_000,
    });
    expect(textOf(html)).toContain("damaged, no data from 15:04:59 to 15:05:50");
    expect(html.match(/<svg x="\d+" width="\d+" height="1"/g)).toHaveLength(1);
  });

  it("compares a player with those of the same position, regardless of how the roster spells it", async () => {
    const pages = (await report()).split('<section class="player-page"').slice(1);
    // the only other player has data for half of the session, and is excluded from means
    expect(textOf(pages[2] ?? "")).toMatch(/10 Lang .*Mean of 1 FW 10 4,792 /);
  });

  it("does not run scripts from texts, and makes no requests", async () => {
    const html = await report();
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x&gt;");
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/(src|href)="(?!#)/);
  });

  it("shows the limits of most players, even if the first player has others", async () => {
    const recordings = await Promise.all(["A", "B", "C"].map((name) => recordingOf(name, 4)));
    const { roster } = readRoster("player;serial;sprint (km/h)\nAda;A;20\nBea;B;\nCleo;C;\n");
    const rows = squadRows(squadMembers(recordings, roster), []);
    const html = squadReport({ title: "T", subtitle: "S", rows, periods: [], offsetMs: 0 });
    expect(html).toContain("sprints at least 1 s from 25.2 km/h, unless a player has individual thresholds");
  });
});
