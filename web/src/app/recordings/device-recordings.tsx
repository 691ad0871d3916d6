import type { Resource } from "asi-client";
import { useEffect, useRef } from "preact/hooks";
import type { DeviceRange } from "../../recording/device-range.js";
import { latestData } from "../devices/latest.js";
import { readDate, weeksUpTo } from "../parts/days.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import { addressedRanges } from "./address.js";
import { Calendar } from "./calendar.js";
import { Live } from "./live.js";
import { rangesOfWeeks } from "./ranges.js";
import { storedUploads } from "./upload-queue.js";

interface Props extends ViewProps {
  device: Resource["Device"];
  /** Whether the manager owns the device at present. Only the owner can upload files and see live data. */
  isOwned: boolean;
  chosen: { value: readonly DeviceRange[] };
  onOpen: (range: DeviceRange) => void;
}

/** The live data and the calendar of one device. */
export function DeviceRecordings(props: Props) {
  const { client, device, isOwned, params, query, settings } = props;
  const zone = settings.zone.value;
  const stored = storedUploads.value;
  const latest = useRequest(`latest ${device.id}`, (signal) =>
    latestData(client, device.id, isOwned, signal),
  );
  const [addressed] = addressedRanges(params, query);
  const asked =
    addressed === undefined ? readDate(query.get("from"), zone) : weeksUpTo(addressed.window.startMs, zone);
  const fromMs = asked ?? weeksUpTo(latest.data?.ms ?? Date.now(), zone);
  const isKnown = asked !== null || latest.data !== undefined;
  const ranges = useRequest(`ranges ${device.id} ${zone} ${isKnown ? fromMs : "unknown"}`, (signal) =>
    isKnown ? rangesOfWeeks(client, device, fromMs, zone, signal) : new Promise<never>(() => {}),
  );
  const known = useRef(stored);
  const { reload: reloadLatest } = latest;
  const { reload: reloadRanges } = ranges;
  useEffect(() => {
    if (known.current === stored) return;
    known.current = stored;
    reloadLatest();
    reloadRanges();
  }, [stored, reloadLatest, reloadRanges]);
  return (
    <>
      {isOwned ? <Live key={device.id} client={client} device={device} settings={settings} /> : null}
      {latest.error == null || isKnown ? null : (
        <Requested request={latest} what="the time of the latest sample">
          {() => null}
        </Requested>
      )}
      <Calendar
        device={device}
        fromMs={fromMs}
        latest={latest.data}
        request={ranges}
        settings={settings}
        chosen={props.chosen}
        workspace={props.workspace}
        onOpen={props.onOpen}
      />
      {isOwned ? null : (
        <p class="note">
          You no longer own this device. You see the recordings from your time with it, and cannot upload
          files for it.
        </p>
      )}
    </>
  );
}
