import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService } from "../recording/messages.js";
import type { Placed } from "../recording/placed.js";
import type { Figures } from "../recording/recording.js";
import { oneAtATime } from "../view/latest.js";
import { athleteOf, figureSettings, type Settings } from "../view/settings.js";
import type { TimeWindow } from "../view/window.js";

export interface ShownFigures {
  /** One entry for each recording, or null until the figures are computed. */
  figures: readonly (Figures | null)[];
  /** The reason for missing figures. */
  problem: string | null;
}

/** Recordings of several people use the same fixed zones. Several recordings of one person use the values of that person. */
function settingsOf(placed: readonly Placed[], settings: Settings): ReturnType<typeof figureSettings> {
  const [first, ...others] = placed.map(({ recording }) =>
    figureSettings({ ...settings, ...athleteOf(recording) }),
  );
  const isOne = others.every((one) => JSON.stringify(one) === JSON.stringify(first));
  return first !== undefined && isOne ? first : figureSettings(settings);
}

/** Computes the figures of the visible part. */
export function useFigures(
  placed: readonly Placed[],
  shown: ReadonlySignal<TimeWindow>,
  settings: Settings,
  reader: RecordingService,
): ReadonlySignal<ShownFigures> {
  const result = useSignal<ShownFigures>({ figures: placed.map(() => null), problem: null });
  const compute = useMemo(
    () =>
      oneAtATime(async () => {
        try {
          const figures = await Promise.all(
            placed.map(({ recording: { id }, partIn }) =>
              reader.ask("figures", {
                id,
                shown: partIn(shown.peek()),
                settings: settingsOf(placed, settings),
              }),
            ),
          );
          result.value = { figures, problem: null };
        } catch (error) {
          const problem = error instanceof ReadingError ? error.message : String(error);
          result.value = { figures: placed.map(() => null), problem };
        }
      }),
    [placed, shown, settings, reader, result],
  );
  useSignalEffect(() => {
    shown.value;
    settings.preset.value;
    settings.maxHeartRate.value;
    settings.maxSpeedKmPerH.value;
    compute();
  });
  useEffect(compute, [compute]);
  return result;
}
