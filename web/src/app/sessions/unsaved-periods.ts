import { effect } from "@preact/signals";
import { announce } from "../parts/announcements.js";
import { askBeforeLosing } from "../parts/unsaved.js";
import type { PeriodSaver } from "./period-saver.js";

/** Waits for a running attempt to save the periods. */
export const settled = (saving: PeriodSaver["saving"]): Promise<void> =>
  new Promise((resolve) => {
    const stop = saving.subscribe(({ name }) => {
      if (name === "saving") return;
      resolve();
      // the first call precedes the return of `subscribe`
      queueMicrotask(() => stop());
    });
  });

/**
 * Asks before unsaved periods are lost, in any view, and announces that they are not saved while the squad is hidden.
 * @param title the name of the session
 * @returns a function that stops after the last attempt to save
 */
export function guardPeriods(
  { saving }: Pick<PeriodSaver, "saving">,
  title: string,
  isShown: () => boolean,
): () => void {
  const text = `The periods of ${title} are not saved.`;
  const settle = () => settled(saving);
  const forget = askBeforeLosing({
    // the squad stays open while other views are shown
    lostWith: "squad",
    isUnsaved: () => saving.peek().name !== "saved",
    text,
    settle,
  });
  let isClosed = false;
  const stopAnnouncing = effect(() => {
    const { name } = saving.value;
    if (name !== "failed" && name !== "refused") return;
    if (isClosed) announce(text);
    else if (!isShown()) announce(`${text} Open its squad to try again.`);
  });
  return () => {
    isClosed = true;
    settle().then(() => {
      forget();
      stopAnnouncing();
    });
  };
}
