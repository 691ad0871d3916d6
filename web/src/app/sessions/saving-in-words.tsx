import { useEffect } from "preact/hooks";
import type { Settings, Zone } from "../../view/settings.js";
import { wordsOf } from "../parts/problem.js";
import { dayAndTime } from "../parts/when.js";
import type { PeriodSaver } from "./period-saver.js";

/** Shows below the table whether the periods are saved. */
export function SavingInWords({ saver, settings }: { saver: PeriodSaver; settings: Settings }) {
  const saving = saver.saving.value;
  useEffect(() => {
    // Closing the page would lose unsaved periods, so the browser asks. Changing the view does not lose them.
    const ask = (event: BeforeUnloadEvent) => {
      if (saver.saving.peek().name !== "saved") event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [saver]);
  return (
    <>
      <span class={saving.name === "failed" ? "bad" : "muted"} role="status">
        {saving.name === "saving"
          ? "Saving the periods…"
          : saving.name === "failed"
            ? `The periods are not saved. ${withTimes(wordsOf(saving.error), settings.zone.value)}`
            : saving.isFirst
              ? "Changes to the periods are saved to the session at once."
              : "The periods are saved to the session."}
      </span>
      {saving.name === "failed" ? (
        <button type="button" onClick={() => saver.retry()}>
          Try again
        </button>
      ) : null}
    </>
  );
}

/** Replaces times of the service with times in the zone of the page. */
const withTimes = (text: string, zone: Zone): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => dayAndTime(time, zone));
