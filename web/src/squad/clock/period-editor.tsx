import type { SessionPeriod } from "asi-convert/squad";
import { periodsCsv } from "asi-convert/squad-sheets";
import { useEffect, useRef } from "preact/hooks";
import { offerFile } from "../../parts/offer-file.js";
import { timeOfDay } from "../../view/times.js";
import { ignore } from "../ignore.js";
import type { SquadSession } from "../squad-session.js";
import type { Clock } from "./clock-state.js";
import { listed } from "./clock-words.js";
import { freeName, withPeriod } from "./period-edits.js";
import { PeriodLine } from "./period-line.js";
import { contextOf, problemsOf } from "./period-times.js";
import { substitutionText } from "./substitution-text.js";
import { refuseSubstitutions, seemText, takeSubstitutions } from "./substitutions.js";
import "./period-editor.css";

/** Duration of a new period. */
const NEW_PERIOD_MS = 10 * 60_000;

/** The periods of the session as an editable table. */
export function PeriodEditor({ clock }: { clock: Clock }) {
  const { session } = clock;
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const periods = session.periods.value;
  const context = contextOf(session);
  const problems = context === null ? [] : problemsOf(periods, context);
  const close = () => {
    clock.isEditing.value = false;
    document.querySelector<HTMLElement>(".periods-button")?.focus();
  };
  return (
    <div
      ref={panel}
      class="period-editor"
      role="dialog"
      tabIndex={-1}
      aria-label="Periods"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <h2>Periods</h2>
      <button type="button" class="card-close" aria-label="Close the periods" onClick={close}>
        ×
      </button>
      <Suggestions clock={clock} />
      <Substitutions clock={clock} />
      <Table session={session} periods={periods} />
      {problems.map((problem) => (
        <p key={problem} class="clock-problem" role="alert">
          {problem}
        </p>
      ))}
      <Buttons clock={clock} />
    </div>
  );
}

function Table({ session, periods }: { session: SquadSession; periods: readonly SessionPeriod[] }) {
  if (periods.length === 0)
    return <p class="muted">There are no periods yet. Drag over the clock to create one.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Period</th>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <th scope="col">For</th>
          <th scope="col">Attack</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {periods.map((period) => (
          <PeriodLine key={period.name} session={session} period={period} />
        ))}
      </tbody>
    </table>
  );
}

function Suggestions({ clock }: { clock: Clock }) {
  const { session } = clock;
  const suggested = clock.suggested.value;
  if (suggested.length === 0) return null;
  const zone = session.settings.zone.value;
  const texts = suggested.map(
    ({ name, startMs, endMs }) => `${name} ${timeOfDay(startMs, zone)} to ${timeOfDay(endMs, zone)}`,
  );
  const use = () => {
    session.periodSteps.change({
      periods: suggested.reduce<readonly SessionPeriod[]>(
        (all, { name, startMs, endMs }) => withPeriod(all, name, { startMs, endMs }),
        session.periods.peek(),
      ),
    });
    session.showMatch();
  };
  return (
    <div class="period-suggested">
      <p>
        <b>Suggested from the common pauses:</b> {listed(texts)}
      </p>
      <button type="button" class="primary" onClick={use}>
        {suggested.length === 1 ? "Use it" : `Use all ${suggested.length}`}
      </button>
      <button type="button" onClick={() => ignore(session, clock.refusal.peek())}>
        No
      </button>
    </div>
  );
}

function Substitutions({ clock: { session, substitutions } }: { clock: Clock }) {
  const suggested = substitutions.value;
  if (suggested === null || session.played.isRefused(suggested)) return null;
  return (
    <div class="period-suggested">
      <p>
        <b>{seemText(suggested)}</b> {substitutionText(suggested, session.settings.zone.value)} Until these
        times are used, time on the bench counts as playing, except in means.
      </p>
      <button type="button" class="primary" onClick={() => takeSubstitutions(session, suggested)}>
        Use
      </button>
      <button type="button" onClick={() => refuseSubstitutions(session, suggested)}>
        All played
      </button>
    </div>
  );
}

function Buttons({ clock }: { clock: Clock }) {
  const { session } = clock;
  const steps = session.periodSteps;
  const add = () => {
    const periods = session.periods.peek();
    const shown = clock.shown.peek();
    const startMs = Math.round((session.cursorMs.peek() ?? shown.startMs) / 1000) * 1000;
    const name = freeName(periods, "Period");
    steps.change({ periods: withPeriod(periods, name, { startMs, endMs: startMs + NEW_PERIOD_MS }) });
  };
  const save = () => {
    const context = contextOf(session);
    if (context === null) return;
    offerFile(new Blob([periodsCsv(session.periods.peek(), context)], { type: "text/csv" }), "periods.csv");
  };
  return (
    <div class="clock-buttons">
      <button type="button" onClick={add}>
        Add a period
      </button>
      <button type="button" disabled={session.periods.value.length === 0} onClick={save}>
        Save as periods.csv
      </button>
      <button type="button" disabled={steps.past.value.length === 0} onClick={() => steps.undo()}>
        Undo <small class="muted">Ctrl + Z</small>
      </button>
    </div>
  );
}
