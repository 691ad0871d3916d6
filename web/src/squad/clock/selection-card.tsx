import { useSignal } from "@preact/signals";
import type { Interval } from "asi-convert/squad";
import { useEffect, useId, useRef } from "preact/hooks";
import { timeOfDay } from "../../view/times.js";
import { type Clock, xOf } from "./clock-state.js";
import { intervalText } from "./clock-words.js";
import { freeName, onlyFor, withPeriod, withPlayedPeriod } from "./period-edits.js";
import { contextOf, problemsOf, writtenInterval } from "./period-times.js";
import "./selection-card.css";

const CARD_PX = 316;
const EDGE_PX = 8;
/** Width of the handles at the ends of the selection, beside the card. */
const HANDLE_PX = 24;

/** The actions for a selection. They appear when the drag ends. */
export function SelectionCard({ clock }: { clock: Clock }) {
  const brush = clock.brush.value;
  if (brush === null || clock.isBrushing.value) return null;
  const { left, width, height, bottom } = clock.place.value;
  const shown = clock.shown.value;
  const after = xOf(brush.endMs, shown, width) + HANDLE_PX + EDGE_PX;
  const before = xOf(brush.startMs, shown, width) - HANDLE_PX - EDGE_PX - CARD_PX;
  const beside = after + CARD_PX <= width || before < 0 ? after : before;
  // covers the strips and not the figures, which change with the selection
  const x = Math.min(left + Math.max(0, beside), left + width - CARD_PX - EDGE_PX);
  return (
    <div class="clock clock-over">
      <div
        class="clock-card"
        style={{
          left: `${Math.max(EDGE_PX, x)}px`,
          top: `${EDGE_PX - bottom - height}px`,
        }}
      >
        <Card key={`${brush.startMs} ${brush.endMs}`} clock={clock} brush={brush} />
      </div>
    </div>
  );
}

function Card({ clock, brush }: { clock: Clock; brush: Interval }) {
  const { session } = clock;
  const zone = session.settings.zone.value;
  const id = useId();
  const first = useRef<HTMLInputElement>(null);
  const name = useSignal("");
  const from = useSignal(timeOfDay(brush.startMs, zone));
  const to = useSignal(timeOfDay(brush.endMs, zone));
  const some = useSignal<ReadonlySet<string> | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    if (clock.isCardWanted) first.current?.focus();
    clock.isCardWanted = false;
  }, [clock]);
  const players = session.players.value;
  const proposed = freeName(session.periods.value, "Period");

  const make = (event: Event) => {
    event.preventDefault();
    const context = contextOf(session);
    if (context === null) return;
    const written = writtenInterval(from.peek(), to.peek(), context);
    if ("problem" in written) {
      problem.value = written.problem;
      return;
    }
    const called = name.peek().trim() || proposed;
    const before = session.periods.peek();
    if (before.some((period) => period.name.toLowerCase() === called.toLowerCase())) {
      problem.value = `A period "${called}" already exists. Enter a different name.`;
      return;
    }
    const chosen = some.peek();
    const periods =
      chosen === null
        ? withPlayedPeriod(
            before,
            called,
            written.interval,
            players.map((player) => player.name),
          )
        : onlyFor(withPeriod(before, called, written.interval), called, [...chosen]);
    const overlap = problemsOf(periods, context).find((text) => text.includes(`"${called}"`));
    if (overlap !== undefined) {
      problem.value = overlap;
      return;
    }
    session.periodSteps.change({ periods });
    session.scope.value = { kind: "period", name: called };
  };
  const close = () => clock.release();
  return (
    <div
      role="dialog"
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
        document.querySelector<HTMLElement>(".clock-slider")?.focus();
      }}
    >
      <h2 id={`${id}-title`}>Create a period</h2>
      <button type="button" class="card-close" aria-label="Clear the selection" onClick={close}>
        ×
      </button>
      <p class="muted">{intervalText(brush, zone)}. The figures in the table are for this time.</p>
      <form onSubmit={make}>
        <div class="clock-fields">
          <label for={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            ref={first}
            value={name.value}
            placeholder={proposed}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <label for={`${id}-from`}>From</label>
          <span>
            <input
              id={`${id}-from`}
              class="time"
              value={from.value}
              onInput={(event) => {
                from.value = event.currentTarget.value;
              }}
            />{" "}
            <label for={`${id}-to`}>to</label>{" "}
            <input
              id={`${id}-to`}
              class="time"
              value={to.value}
              onInput={(event) => {
                to.value = event.currentTarget.value;
              }}
            />
          </span>
          <span id={`${id}-for`}>For</span>
          <fieldset class="segmented" aria-labelledby={`${id}-for`}>
            <button
              type="button"
              aria-pressed={some.value === null}
              onClick={() => {
                some.value = null;
              }}
            >
              All {players.length}
            </button>
            <button
              type="button"
              aria-pressed={some.value !== null}
              onClick={() => {
                some.value ??= new Set();
              }}
            >
              Some…
            </button>
          </fieldset>
        </div>
        {some.value === null ? null : (
          <fieldset class="clock-some" aria-label="Players who take part">
            {players.map((player) => (
              <label key={player.key}>
                <input
                  type="checkbox"
                  checked={some.value?.has(player.name)}
                  onChange={({ currentTarget }) => {
                    const next = new Set(some.peek());
                    if (currentTarget.checked) next.add(player.name);
                    else next.delete(player.name);
                    some.value = next;
                  }}
                />{" "}
                {player.name}
              </label>
            ))}
          </fieldset>
        )}
        {problem.value === null ? null : (
          <p class="clock-problem" role="alert">
            {problem.value}
          </p>
        )}
        <div class="clock-buttons">
          <button type="submit" class="primary" disabled={some.value?.size === 0}>
            Create the period
          </button>
          <button type="button" onClick={() => clock.show({ startMs: brush.startMs, stopMs: brush.endMs })}>
            Zoom here
          </button>
        </div>
      </form>
    </div>
  );
}
