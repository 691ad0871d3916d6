import type { Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { day, duration, timeOfDay } from "../view/times.js";
import { decimal } from "../view/values.js";
import { within } from "../view/window.js";
import { Panel } from "./panel.js";
import { PlaceList } from "./place-list.js";

const LONGEST_LIST = 1000;
const DAY_MS = 86_400_000;

/** The parts of a recording between gaps of more than 5 minutes. */
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
      note="A range has no gap of more than 5 minutes."
    >
      <PlaceList
        label="Ranges"
        heads={["From", "To", "Length", "Samples"]}
        hasMore={ranges.length > LONGEST_LIST}
        places={ranges.slice(0, LONGEST_LIST).map(({ start, stop, size }) => ({
          key: start,
          head: time(start),
          cells: [time(stop), duration(stop - start), decimal(size, 0)],
          show: {
            label: `Show the range from ${time(start)}`,
            onShow: () => {
              selection.shown.value = within({ startMs: start, stopMs: stop }, selection.whole.peek());
            },
          },
        }))}
      />
    </Panel>
  );
}
