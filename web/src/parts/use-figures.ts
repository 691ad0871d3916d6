import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { RecordingReader } from "../recording/messages.js";
import { ReadingError } from "../recording/reading-error.js";
import type { Figures } from "../recording/recording.js";
import { ownWindow } from "../recording/timeline.js";
import type { Settings } from "../view/settings.js";
import type { TimeWindow } from "../view/window.js";
import type { Placed } from "./stage.js";

export interface ShownFigures {
  /** For each recording; null before they are computed. */
  figures: readonly (Figures | null)[];
  /** Why there are none. */
  problem: string | null;
}

/** Figures of the part that is shown. While one window is computed, the latest of those that follow waits. */
export function useFigures(
  placed: readonly Placed[],
  shown: ReadonlySignal<TimeWindow>,
  settings: Settings,
  reader: RecordingReader,
): ReadonlySignal<ShownFigures> {
  const result = useSignal<ShownFigures>({ figures: placed.map(() => null), problem: null });
  const isBusy = useRef(false);
  const isStale = useRef(false);
  const compute = async () => {
    if (isBusy.current) {
      isStale.current = true;
      return;
    }
    isBusy.current = true;
    const part = shown.peek();
    const figureSettings = { preset: settings.preset.peek(), maxHeartRate: settings.maxHeartRate.peek() };
    try {
      const figures = await Promise.all(
        placed.map(({ recording: { id }, offsetMs }) =>
          reader.ask("figures", { id, shown: ownWindow(part, offsetMs), settings: figureSettings }),
        ),
      );
      result.value = { figures, problem: null };
    } catch (error) {
      const problem = error instanceof ReadingError ? error.message : String(error);
      result.value = { figures: placed.map(() => null), problem };
    } finally {
      isBusy.current = false;
      if (isStale.current) {
        isStale.current = false;
        compute();
      }
    }
  };
  useSignalEffect(() => {
    shown.value;
    settings.preset.value;
    settings.maxHeartRate.value;
    compute();
  });
  return result;
}
