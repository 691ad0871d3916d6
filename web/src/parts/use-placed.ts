import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService } from "../recording/messages.js";
import { type Placed, placeByDistance, placeInTime } from "../recording/placed.js";
import type { Recording } from "../recording/recording.js";
import type { Axis } from "../view/axis.js";
import { figureSettings, type Settings } from "../view/settings.js";

export interface OnAxis {
  axis: Axis;
  placed: readonly Placed[];
  /** The reason why the recordings are not on the selected axis. */
  problem: string | null;
}

/** Returns the recordings on the selected axis. They stay on the previous axis until distances are computed. */
export function usePlaced(
  recordings: readonly Recording[],
  chosen: ReadonlySignal<Axis>,
  settings: Settings,
  reader: RecordingService,
): ReadonlySignal<OnAxis> {
  const onAxis = useSignal<OnAxis>({
    axis: chosen.peek(),
    placed: inTime(recordings, chosen.peek()),
    problem: null,
  });
  const latest = useRef(0);
  useSignalEffect(() => {
    const axis = chosen.value;
    // the thresholds define which speeds count as standing
    const byPreset = axis === "distance" ? settings.preset.value : null;
    const wish = ++latest.current;
    if (byPreset === null) {
      if (onAxis.peek().axis !== axis)
        onAxis.value = { axis, placed: inTime(recordings, axis), problem: null };
      return;
    }
    const curves = recordings.map(({ id }) =>
      reader.ask("distance", { id, settings: figureSettings(settings) }),
    );
    Promise.all(curves).then(
      (all) => {
        if (wish !== latest.current) return;
        const placed = recordings.flatMap((recording, number) => {
          const curve = all[number];
          return curve === undefined ? [] : placeByDistance(recording, number, curve);
        });
        onAxis.value = { axis, placed, problem: null };
      },
      (error: unknown) => {
        if (wish !== latest.current) return;
        const problem = error instanceof ReadingError ? error.message : String(error);
        onAxis.value = { ...onAxis.peek(), problem };
      },
    );
  });
  return onAxis;
}

function inTime(recordings: readonly Recording[], axis: Axis): Placed[] {
  return recordings.map((recording, number) =>
    placeInTime(recording, number, axis === "clock" ? 0 : -recording.startMs),
  );
}
