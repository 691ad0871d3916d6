import type { Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { day, duration, timeOfDay } from "../view/times.js";
import { decimal } from "../view/values.js";
import { within } from "../view/window.js";
import { Panel, Scrolled } from "./panel.js";

const LONGEST_LIST = 200;
const DAY_MS = 86_400_000;

/** The stretches without a gap of more than 5 minutes. */
export function Ranges({
  recording,
  selection,
  settings,
}: {
  recording: Recording;
  selection: Selection;
  settings: Settings;
}) {
  const { ranges } = recording.facts;
  const zone = settings.zone.value;
  const isLong = recording.stopMs - recording.startMs > DAY_MS;
  const time = (ms: number) => (isLong ? `${day(ms, zone)} ${timeOfDay(ms, zone)}` : timeOfDay(ms, zone));
  return (
    <Panel
      title={ranges.length === 1 ? "One range" : `Ranges: ${decimal(ranges.length, 0)}`}
      note="No gap of more than 5 minutes within a range."
    >
      <Scrolled label="Ranges">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Length</th>
              <th scope="col">Rows</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {ranges.slice(0, LONGEST_LIST).map(({ start, stop, size }) => (
              <tr key={start}>
                <th scope="row">{time(start)}</th>
                <td>{time(stop)}</td>
                <td>{duration(stop - start)}</td>
                <td>{decimal(size, 0)}</td>
                <td class="action">
                  <button
                    type="button"
                    aria-label={`Show the range from ${time(start)}`}
                    onClick={() => {
                      selection.shown.value = within(
                        { startMs: start, stopMs: stop },
                        selection.whole.peek(),
                      );
                    }}
                  >
                    Show
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      {ranges.length > LONGEST_LIST ? <p class="muted">The first {LONGEST_LIST} are listed.</p> : null}
    </Panel>
  );
}
