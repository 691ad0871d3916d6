import { computed, type ReadonlySignal } from "@preact/signals";
import { duration, elapsed, timeOfDay } from "../view/times.js";
import { type WrongClock, wrongClocks } from "./clock/wrong-clocks.js";
import type { LookAt } from "./look-at-item.js";
import type { SquadSession } from "./squad-session.js";

const wrongClocksOf = new WeakMap<SquadSession, ReadonlySignal<readonly WrongClock[]>>();

/** Recordings whose times differ from those of the others. They are compared once for each change to the recordings. */
function wrongIn(session: SquadSession): readonly WrongClock[] {
  const known =
    wrongClocksOf.get(session) ??
    computed(() => {
      if (session.isReading.value) return [];
      const ofOnePlayer = session.players.value.map(({ recordings, leftOut }) =>
        [...recordings, ...leftOut].map(({ id }) => id),
      );
      return wrongClocks(session.recordings.value, ofOnePlayer);
    });
  wrongClocksOf.set(session, known);
  return known.value;
}

/** Clocks that differ from the others, and clocks that were corrected in this view. */
export function ofClocks(session: SquadSession): LookAt[] {
  const zone = session.settings.zone.value;
  const recordings = session.recordings.value;
  const minute = (ms: number) => timeOfDay(ms, zone).slice(0, 5);
  const wrong = wrongIn(session).flatMap(({ id, byMs }): LookAt[] => {
    const recording = recordings.find((one) => one.id === id);
    if (recording === undefined) return [];
    const others = session.shownRecordings.value.filter((one) => one.id !== id).length;
    return [
      {
        key: `clock ${recording.shiftMs}`,
        recordings: [id],
        sign: "clock",
        where: recording.file.name,
        what: `Clock ${duration(Math.abs(byMs))} ${byMs > 0 ? "behind" : "ahead of"} the others.`,
        meaning: `${minute(recording.startMs)} on this tracker is ${minute(recording.startMs + byMs)} on the other ${others}.`,
        actions: [
          {
            name: `Shift by ${byMs > 0 ? "+" : "−"}${elapsed(Math.abs(byMs))}`,
            press: () => session.opened.shiftClock(id, recording.shiftMs + byMs),
            isPrimary: true,
          },
        ],
        ignore: "Ignore",
      },
    ];
  });
  const shifted = recordings
    .filter(({ shiftMs }) => shiftMs !== 0)
    .map(
      ({ id, file, shiftMs }): LookAt => ({
        key: `shifted ${shiftMs}`,
        recordings: [id],
        sign: "clock",
        where: file.name,
        what: "Clock shifted.",
        meaning: `Its times are ${duration(Math.abs(shiftMs))} ${shiftMs > 0 ? "later" : "earlier"} here than in the file.`,
        actions: [{ name: "Shift it back", press: () => session.opened.shiftClock(id, 0) }],
        ignore: "Ignore",
      }),
    );
  return [...wrong, ...shifted];
}
