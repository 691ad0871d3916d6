import { nameKey } from "asi-convert/squad";
import { axisTicks } from "../../view/axis.js";
import { timeOfDay } from "../../view/times.js";
import { isWhole, type TimeWindow } from "../../view/window.js";
import { halvesIn } from "../scope.js";
import { type Chip, chipsOf, headHeight, LANE_PX } from "./clock-chips.js";
import { TICK_PX } from "./clock-layer.js";
import { type Clock, xOf } from "./clock-state.js";
import { withPeriod } from "./period-edits.js";
import { lanesOf } from "./period-lanes.js";

/** Half of a label plus a margin, which separates the first label from the last figure. */
const LABEL_PX = 21;

/** Periods, round times and the time of the cursor, above the strips. */
export function ClockHead({ clock }: { clock: Clock }) {
  const { session } = clock;
  const shown = clock.shown.value;
  const { width } = clock.place.value;
  const zone = session.settings.zone.value;
  const cursor = session.cursorMs.value;
  const chips = chipsOf(clock);
  const lanes = lanesOf(chips);
  const { at, labels } = axisTicks("clock", shown, width / TICK_PX, zone);
  return (
    <div class="clock-head" style={{ height: `${headHeight(clock)}px` }}>
      <span class="for-readers">Clock</span>
      {chips.map((chip, i) => (
        <ChipButton key={`${chip.isSuggested} ${chip.name}`} clock={clock} chip={chip} lane={lanes[i] ?? 0} />
      ))}
      <div class="clock-ticks" aria-hidden="true">
        {at.map((ms, i) => (
          <small key={ms} style={{ left: `${Math.max(LABEL_PX, xOf(ms, shown, width))}px` }}>
            {labels[i]}
          </small>
        ))}
        {cursor === null || !isIn(cursor, shown) ? null : (
          <b
            class="clock-time"
            style={{ left: `${Math.min(width - 32, Math.max(32, xOf(cursor, shown, width)))}px` }}
          >
            {timeOfDay(cursor, zone)}
          </b>
        )}
      </div>
      {isWhole(shown, clock.whole.value) ? null : (
        <button
          type="button"
          class="clock-all"
          title="Show the whole session (Esc)"
          onClick={() => {
            session.zoom.value = null;
          }}
        >
          All
        </button>
      )}
    </div>
  );
}

const isIn = (ms: number, { startMs, stopMs }: TimeWindow) => ms >= startMs && ms <= stopMs;

function ChipButton({ clock, chip, lane }: { clock: Clock; chip: Chip; lane: number }) {
  const { session } = clock;
  const { name, isSuggested } = chip;
  const shown = clock.shown.value;
  const { width } = clock.place.value;
  if (chip.endMs <= shown.startMs || chip.startMs >= shown.stopMs) return null;
  const left = Math.max(0, xOf(chip.startMs, shown, width));
  const right = Math.min(width, xOf(chip.endMs, shown, width));
  const scope = session.scope.value;
  const isPressed =
    (scope.kind === "period" && nameKey(scope.name) === nameKey(name)) ||
    (scope.kind === "match" && halvesIn(session.periods.value).some((half) => half.name === name));
  const press = () => {
    if (isSuggested) {
      session.periodSteps.change({
        periods: withPeriod(session.periods.peek(), name, { startMs: chip.startMs, endMs: chip.endMs }),
      });
      session.showMatch();
    } else session.scope.value = { kind: "period", name };
  };
  const times = `${timeOfDay(chip.startMs, session.settings.zone.value)} to ${timeOfDay(chip.endMs, session.settings.zone.value)}`;
  return (
    <button
      type="button"
      class={isSuggested ? "clock-chip suggested" : "clock-chip"}
      style={{ left: `${left}px`, width: `${Math.max(6, right - left)}px`, top: `${6 + lane * LANE_PX}px` }}
      title={isSuggested ? `Use ${name}, ${times}: suggested from common pauses` : `${name}, ${times}`}
      aria-label={isSuggested ? `Use suggested ${name}, ${times}` : `${name}, ${times}`}
      {...(isSuggested ? {} : { "aria-pressed": isPressed })}
      onClick={press}
    >
      {isSuggested ? `${name}?` : name}
    </button>
  );
}
