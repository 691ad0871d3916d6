import { useEffect } from "preact/hooks";
import type { Settings, Zone } from "../../view/settings.js";
import { wordsOf } from "../parts/problem.js";
import { dayAndTime } from "../parts/when.js";
import type { PeriodSaver, Saving } from "./period-saver.js";

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
      <span class={saving.name === "failed" || saving.name === "refused" ? "bad" : "muted"} role="status">
        {textOf(saving, settings.zone.value)}
      </span>
      {saving.name === "failed" || saving.name === "refused" ? (
        <button type="button" onClick={() => saver.retry()}>
          Try again
        </button>
      ) : null}
      {saving.name === "refused" ? (
        <button type="button" onClick={() => saver.saveWithout(saving.athletes)}>
          Save without these times
        </button>
      ) : null}
    </>
  );
}

function textOf(saving: Saving, zone: Zone): string {
  switch (saving.name) {
    case "saving":
      return "Saving the periods…";
    case "failed":
      return `The periods are not saved. ${withTimes(wordsOf(saving.error), zone)}`;
    case "refused":
      return `The periods are not saved, because they contain times of athletes who are not in the squad at the time of the session: ${saving.athletes.map((athlete) => `athlete ${athlete}`).join(", ")}. Add them to the squad again, or save the periods without these times.`;
    case "saved":
      return saving.isFirst
        ? "Changes to the periods are saved to the session at once."
        : "The periods are saved to the session.";
  }
}

/** Replaces times of the service with times in the zone of the page. */
const withTimes = (text: string, zone: Zone): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => dayAndTime(time, zone));
