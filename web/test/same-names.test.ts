import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import type { OpenRecording } from "../src/recording/squad/squad-recording.js";
import { applyState, stateOf } from "../src/squad/session-state.js";
import type { SquadFile } from "../src/squad/squad-file.js";
import { playersOf } from "../src/squad/squad-player.js";
import type { SquadSession } from "../src/squad/squad-session.js";

const recording = (id: number, name: string, serial: string, shiftMs = 0) =>
  ({
    id,
    file: { name },
    fileName: name,
    serial,
    samples: { length: 0, timestampMs: [] },
    shiftMs,
  }) as unknown as OpenRecording;

const fileOf = (one: OpenRecording): SquadFile => ({
  id: one.id,
  file: one.file,
  range: null,
  state: { name: "recording", recording: one },
});

describe("two files with the same name", () => {
  test("are rows with different names, even if one cannot be read or is kept apart", () => {
    const recordings = [
      recording(1, "Kunz.asi", "A"),
      recording(2, "Kunz.asi", "B"),
      recording(3, "kunz.asi", "B"),
    ];
    const failed: SquadFile = {
      ...fileOf(recording(4, "Kunz.asi", "")),
      state: { name: "failed", code: null, message: "" },
    };
    const players = playersOf({ recordings, apart: new Set([3]), failed: [failed], roster: null });
    expect(players.map(({ key, name }) => [key, name])).toEqual([
      ["recording 1", "Kunz (A)"],
      ["recording 2", "Kunz (B)"],
      ["recording 3", "kunz (B 2)"],
      ["file 4", "Kunz (file)"],
    ]);
  });

  test("are rows with different names if only one of them is kept apart", () => {
    const recordings = [recording(1, "Kunz.asi", "A"), recording(2, "Kunz.asi", "B")];
    const players = playersOf({ recordings, apart: new Set([2]), failed: [], roster: null });
    expect(players.map(({ name }) => name)).toEqual(["Kunz (A)", "Kunz (B)"]);
  });

  test("keep their own clocks and rows after a reload", async () => {
    const sessionWith = (...recordings: OpenRecording[]) => {
      const shifted: [number, number][] = [];
      const session = {
        files: signal(recordings.map(fileOf)),
        keptApart: signal(new Set<number>()),
        sessionOf: signal(null),
        periodSteps: { all: signal([]) },
        trackerNames: signal(new Map()),
        ignored: signal([]),
        ...Object.fromEntries(
          ["scope", "sort", "isPerMinute", "isByPosition", "zones"].map((name) => [name, signal(null)]),
        ),
        opened: { shiftClock: (id: number, shiftMs: number) => shifted.push([id, shiftMs]) },
      };
      return { session: session as unknown as SquadSession, shifted };
    };
    const before = sessionWith(
      recording(1, "Kunz.asi", "A"),
      recording(2, "Kunz.asi", "B", 3_600_000),
    ).session;
    before.keptApart.value = new Set([2]);
    const state = JSON.parse(JSON.stringify(stateOf(before)));
    const { session, shifted } = sessionWith(recording(7, "Kunz.asi", "A"), recording(8, "Kunz.asi", "B"));
    applyState(
      session,
      state,
      session.files.peek().map(({ file }) => file),
    );
    expect([shifted, [...session.keptApart.value]]).toEqual([[[8, 3_600_000]], [8]]);
  });
});
