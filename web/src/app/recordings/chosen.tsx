import type { Signal } from "@preact/signals";
import type { DeviceRange } from "../../recording/device-range.js";
import type { Workspace } from "../../recording/workspace.js";
import type { Settings } from "../../view/settings.js";
import { dayAndTime } from "../parts/when.js";
import { isSameRange } from "./ranges.js";

interface Props {
  chosen: Signal<readonly DeviceRange[]>;
  workspace: Workspace;
  settings: Settings;
  onOpen: (ranges: readonly DeviceRange[], isAdding: boolean) => void;
}

/** The ranges that the user has selected for a comparison. They may belong to several devices and weeks. */
export function ChosenRanges({ chosen, workspace, settings, onOpen }: Props) {
  const ranges = chosen.value;
  if (ranges.length === 0) return null;
  const zone = settings.zone.value;
  const isBusy = workspace.reading.value !== null;
  return (
    <section class="panel padded chosen" aria-label="Chosen for comparison">
      <ul>
        {ranges.map((range) => {
          const name = `${range.device.name}, ${dayAndTime(range.startMs, zone)}`;
          return (
            <li key={`${range.device.id} ${range.startMs}`}>
              {name}{" "}
              <button
                type="button"
                class="quiet"
                aria-label={`Leave out ${name}`}
                onClick={() => {
                  chosen.value = ranges.filter((one) => !isSameRange(one, range));
                }}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
      <div class="form-buttons">
        <button
          type="button"
          class="primary"
          disabled={ranges.length < 2 || isBusy}
          onClick={() => onOpen(ranges, false)}
        >
          Compare
        </button>
        {workspace.opened.value.length === 0 ? null : (
          <button type="button" disabled={isBusy} onClick={() => onOpen(ranges, true)}>
            Add to the open recordings
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            chosen.value = [];
          }}
        >
          Clear
        </button>
        {ranges.length < 2 ? <span class="muted">Choose another one to compare with.</span> : null}
      </div>
    </section>
  );
}
