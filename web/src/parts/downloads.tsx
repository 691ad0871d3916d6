import { useSignal } from "@preact/signals";
import type { RecordingReader } from "../recording/messages.js";
import { ReadingError } from "../recording/reading-error.js";
import type { Recording } from "../recording/recording.js";
import type { SavedFormat } from "../recording/save.js";
import { ownWindow } from "../recording/timeline.js";
import type { Selection } from "../view/selection.js";
import { isWhole } from "../view/window.js";
import { Panel } from "./figures.js";

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

interface Props {
  recording: Recording;
  offsetMs: number;
  selection: Selection;
  reader: RecordingReader;
}

/** Saves the recording, or the part that is shown, in a format of the library. */
export function Downloads({ recording, offsetMs, selection, reader }: Props) {
  const busy = useSignal<SavedFormat | null>(null);
  const problem = useSignal("");
  const isAll = isWhole(selection.shown.value, selection.whole.value);
  const save = async (format: SavedFormat) => {
    busy.value = format;
    problem.value = "";
    const part = isAll ? null : ownWindow(selection.shown.peek(), offsetMs);
    try {
      const { blob, fileName } = await reader.ask("save", { id: recording.id, format, part });
      offer(blob, fileName);
    } catch (error) {
      problem.value = error instanceof ReadingError ? error.message : String(error);
    } finally {
      busy.value = null;
    }
  };
  return (
    <Panel
      title="Download"
      note={isAll ? "The whole recording." : "The part that is shown. Show all to download everything."}
    >
      <div class="downloads">
        {FORMATS.map(([format, name]) => (
          <button
            type="button"
            key={format}
            class={format === "csv" ? "primary" : ""}
            disabled={busy.value !== null}
            onClick={() => save(format)}
          >
            {busy.value === format ? "Writing…" : name}
          </button>
        ))}
      </div>
      <p role="alert" class="bad">
        {problem.value}
      </p>
    </Panel>
  );
}

function offer(blob: Blob, fileName: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  // the browser has begun to read it by then
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
