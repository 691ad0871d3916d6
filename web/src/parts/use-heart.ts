import { type ReadonlySignal, useSignal } from "@preact/signals";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService } from "../recording/messages.js";
import type { Heart, Recording } from "../recording/recording.js";

type Module = typeof import("./heart.js");

/** Figures from the waveform of a recording, and the part of the page that shows them. */
export type ShownHeart =
  | { state: "hidden" | "reading" }
  | { state: "failed"; problem: string }
  | { state: "shown"; heart: Heart; parts: Module };

/** Reads the waveform on first use, and shows or hides it. */
export function useHeart(
  { id }: Recording,
  reader: RecordingService,
): { shown: ReadonlySignal<ShownHeart>; toggle: () => void } {
  const shown = useSignal<ShownHeart>({ state: "hidden" });
  const read = useSignal<ShownHeart | null>(null);
  const toggle = async () => {
    const { state } = shown.peek();
    if (state === "reading") return;
    if (state === "shown") {
      shown.value = { state: "hidden" };
      return;
    }
    if (read.peek() === null) {
      shown.value = { state: "reading" };
      try {
        const [heart, parts] = await Promise.all([reader.ask("heart", { id }), import("./heart.js")]);
        if (heart === null) throw new Error("The recording has no waveform with a sample rate.");
        read.value = { state: "shown", heart, parts };
      } catch (error) {
        const problem =
          error instanceof ReadingError || error instanceof Error ? error.message : String(error);
        shown.value = { state: "failed", problem };
        return;
      }
    }
    shown.value = read.peek() ?? { state: "hidden" };
  };
  return { shown, toggle };
}
