import { useSignal } from "@preact/signals";
import { ChooseFiles } from "../parts/drop.js";
import { offerFile } from "../parts/offer-file.js";
import { day } from "../view/times.js";
import { playersText, sessionName } from "./scope-words.js";
import { readText } from "./squad-file.js";
import type { SquadSession } from "./squad-session.js";

/** Returns the name of the session. A session with halves is a match. */
export function squadTitle(session: SquadSession): string {
  const interval = session.interval.value;
  const name = sessionName(session);
  return interval === null ? name : `${name} ${day(interval.startMs, session.settings.zone.value)}`;
}

/** The heading of the page while a squad is shown. */
export function SquadHeading({ session }: { session: SquadSession }) {
  const interval = session.interval.value;
  return (
    <h1 class="brand squad-title">
      {sessionName(session)}{" "}
      <small>
        {interval === null ? "" : `${day(interval.startMs, session.settings.zone.value)} · `}
        {session.isReading.value ? readText(session.files.value) : playersText(session.players.value)}
        {session.time.value.intervals && ", without rows of another time"}
      </small>
    </h1>
  );
}

/** Actions for the whole session. */
export function SquadButtons({ session }: { session: SquadSession }) {
  return (
    <>
      {session.stored === null ? (
        <ChooseFiles onFiles={(files) => session.opened.add(files)} isAdding>
          Add files…
        </ChooseFiles>
      ) : (
        <session.stored.Buttons session={session} />
      )}
      <ReportButton session={session} />
    </>
  );
}

function ReportButton({ session }: { session: SquadSession }) {
  const state = useSignal<"idle" | "writing" | "failed">("idle");
  const write = async () => {
    state.value = "writing";
    try {
      const [{ reportFile }, { fileTitle }] = await Promise.all([
        import("./write-report.js"),
        import("./export-table.js"),
      ]);
      offerFile(await reportFile(session), `${fileTitle(session, sessionName(session))}.html`);
      state.value = "idle";
    } catch {
      state.value = "failed";
    }
  };
  return (
    <>
      <button type="button" disabled={session.isReading.value || state.value === "writing"} onClick={write}>
        {state.value === "writing" ? "Writing…" : "Report"}
      </button>
      <span class="bad" role="alert">
        {state.value === "failed" ? "The report failed. Load the page again." : ""}
      </span>
    </>
  );
}
