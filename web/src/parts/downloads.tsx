import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService, SavedPart } from "../recording/messages.js";
import type { Placed } from "../recording/placed.js";
import type { Saved, SavedFormat } from "../recording/save.js";
import { titlesOf } from "../recording/timeline.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { isWhole } from "../view/window.js";
import { DownloadOptions, newDownloadChoices, saveOptions } from "./download-options.js";
import { offerFile } from "./offer-file.js";
import { Panel } from "./panel.js";

const FORMATS: readonly (readonly [SavedFormat, string])[] = [
  ["csv", "CSV"],
  ["parquet", "Parquet"],
  ["gpx", "GPX"],
  ["tcx", "TCX"],
  ["fit", "FIT"],
  ["geojson", "GeoJSON"],
  ["geojsonl", "GeoJSON lines"],
  ["jsonl", "JSON lines"],
  ["kml", "KML"],
  ["asi", ".asi"],
];

const TOGETHER = "together";

interface Props {
  placed: readonly Placed[];
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

/** Saves recordings or the visible part in a format of the library. Can save several recordings as one table. */
export function Downloads({ placed, selection, settings, reader }: Props) {
  const busy = useSignal<string | null>(null);
  const problem = useSignal("");
  const chosen = useSignal(0);
  const choices = useMemo(newDownloadChoices, []);
  const isAll = isWhole(selection.shown.value, selection.whole.value);
  const one = placed[chosen.value] ?? placed[0];
  if (one === undefined) return null;
  const partOf = ({ recording, partIn }: Placed): SavedPart => ({
    id: recording.id,
    part: isAll ? null : partIn(selection.shown.peek()),
  });
  const write = async (name: string, ask: () => Promise<Saved>) => {
    busy.value = name;
    problem.value = "";
    try {
      const { blob, fileName } = await ask();
      offerFile(blob, fileName);
    } catch (error) {
      problem.value = error instanceof ReadingError ? error.message : String(error);
    } finally {
      busy.value = null;
    }
  };
  const titles = titlesOf(placed.map(({ recording }) => recording));
  const options = () => saveOptions(choices, settings.zone.peek());
  const what = placed.length > 1 ? "Each recording from its start to its end." : "The whole recording.";
  return (
    <Panel title="Download" note={isAll ? what : "The part that is shown. Show all to download everything."}>
      {placed.length === 1 ? null : (
        <label class="field">
          Recording
          <select
            value={chosen.value}
            onChange={({ currentTarget }) => {
              chosen.value = Number(currentTarget.value);
            }}
          >
            {placed.map(({ recording, number }, i) => (
              <option key={recording.id} value={number}>
                {titles[i]}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="downloads">
        {FORMATS.map(([format, name]) => (
          <button
            type="button"
            key={format}
            class={format === "csv" ? "primary" : ""}
            disabled={busy.value !== null}
            onClick={() =>
              write(format, () => reader.ask("save", { ...partOf(one), format, options: options() }))
            }
          >
            {busy.value === format ? "Writing…" : name}
          </button>
        ))}
        {placed.length === 1 ? null : (
          <button
            type="button"
            disabled={busy.value !== null}
            onClick={() =>
              write(TOGETHER, () =>
                reader.ask("saveTogether", { parts: placed.map(partOf), options: options() }),
              )
            }
          >
            {busy.value === TOGETHER ? "Writing…" : "All recordings as one CSV"}
          </button>
        )}
      </div>
      <DownloadOptions choices={choices} />
      <p role="alert" class="bad">
        {problem.value}
      </p>
    </Panel>
  );
}
