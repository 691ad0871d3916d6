import { type Signal, useSignal } from "@preact/signals";
import type { Client } from "asi-client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Readouts } from "../../parts/stage.js";
import { grainedWindow } from "../../plots/frame-box.js";
import { isInPage } from "../../plots/plot-panel.js";
import { PlotStack } from "../../plots/plot-stack.js";
import { channelRows, readoutsAt } from "../../recording/channels.js";
import type { DeviceRange } from "../../recording/device-range.js";
import type { RecordingService } from "../../recording/messages.js";
import { placeInTime } from "../../recording/placed.js";
import type { Recording } from "../../recording/recording.js";
import { wholeOf } from "../../recording/timeline.js";
import { newSelection, type Selection } from "../../view/selection.js";
import type { Settings } from "../../view/settings.js";
import { type TimeWindow, within } from "../../view/window.js";
import { ProblemCard } from "../parts/problem.js";
import { dayAndSecond } from "../parts/when.js";
import { useDeviceRecording } from "./device-recording.js";

interface Props {
  client: Client;
  settings: Settings;
  reader: RecordingService;
  /** The loaded range. */
  data: DeviceRange;
  part: Signal<TimeWindow | null>;
  isNew: boolean;
  selection: Signal<Selection | null>;
}

/** The plots of part of a device's data, with the marked time frame. */
export function FramePlots(props: Props) {
  const { client, data, reader } = props;
  const { recording, share, error, retry } = useDeviceRecording(client, reader, data);
  if (error !== null) {
    return <ProblemCard title="Could not load the data of the device." error={error} retry={retry} />;
  }
  if (recording === null) {
    return (
      <p class="reading" role="status">
        Loading the data of the device… <progress aria-label="Loading" max={1} value={share} />
      </p>
    );
  }
  return <Plots {...props} recording={recording} />;
}

/** Margin on both sides of the time frame, as a share of its length. */
const MARGIN_SHARE = 0.1;

const withMargin = ({ startMs, stopMs }: TimeWindow): TimeWindow => {
  const margin = (stopMs - startMs) * MARGIN_SHARE;
  return { startMs: startMs - margin, stopMs: stopMs + margin };
};

const overlaps = (a: TimeWindow, b: TimeWindow) => a.startMs < b.stopMs && a.stopMs > b.startMs;

/** Returns the axis. It covers the data and the time frame, even if the time frame is longer. */
function axisOf(recording: Recording, part: TimeWindow | null): TimeWindow {
  const data = wholeOf([placeInTime(recording, 0, 0)]);
  if (part === null || !overlaps(part, data)) return data;
  return { startMs: Math.min(data.startMs, part.startMs), stopMs: Math.max(data.stopMs, part.stopMs) };
}

function Plots({ recording, settings, part, isNew, selection: outer }: Props & { recording: Recording }) {
  const whole = useSignal(axisOf(recording, part.peek()));
  const [selection] = useState(() => {
    const marked = part.peek();
    return newSelection(whole, isNew || marked === null ? null : withMargin(marked));
  });
  useEffect(() => {
    outer.value = selection;
    return () => {
      outer.value = null;
    };
  }, [outer, selection]);
  const speedUnit = settings.speedUnit.value;
  const zone = settings.zone.value;
  const rows = useMemo(() => channelRows(recording, speedUnit), [recording, speedUnit]);
  const overview = useMemo(
    () =>
      rows
        .slice(0, 1)
        .map(({ content }) => content)
        .filter(isInPage),
    [rows],
  );
  const frame = {
    part,
    name: "time frame",
    textOf: (ms: number) => dayAndSecond(ms, zone),
  };
  const marked = part.value;
  return (
    <PlotStack
      rows={rows}
      selection={selection}
      settings={settings}
      overview={overview}
      frame={frame}
      axis="clock"
      describeCursor={(ms) =>
        readoutsAt(recording, ms, settings)
          .map(({ label, value, unit }) => `${label} ${value} ${unit}`.trim())
          .join(", ")
      }
    >
      <Readouts cursorMs={selection.cursorMs} readoutsAt={(ms) => readoutsAt(recording, ms, settings)} />
      <div class="buttons">
        <button
          type="button"
          onClick={() => {
            part.value = grainedWindow(selection.shown.peek());
          }}
        >
          Mark the shown time
        </button>
        <button
          type="button"
          disabled={marked === null || !overlaps(marked, whole.value)}
          onClick={() => {
            if (marked !== null) selection.shown.value = within(withMargin(marked), whole.peek());
          }}
        >
          Show the time frame
        </button>
      </div>
    </PlotStack>
  );
}
