import type { ReadonlySignal } from "@preact/signals";
import type { PlotRow } from "../plots/plot-panel.js";
import type { RecordingReader } from "../recording/messages.js";
import type { Damage, Figures, Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { Condition } from "./condition.js";
import { Downloads } from "./downloads.js";
import { FigurePanels } from "./figures.js";
import { Ranges } from "./ranges.js";
import { RecordingCard } from "./recording-card.js";
import { Share } from "./share.js";
import { ValueTable } from "./value-table.js";

interface Props {
  recording: Recording;
  figures: Figures | null;
  damage: ReadonlySignal<Damage | null>;
  rows: readonly PlotRow[];
  selection: Selection;
  settings: Settings;
  reader: RecordingReader;
}

/** What is below map and plots. */
export function Details({ recording, figures, damage, rows, selection, settings, reader }: Props) {
  return (
    <>
      <div class="details">
        {figures === null ? null : (
          <FigurePanels figures={figures} selection={selection} settings={settings} />
        )}
        <Ranges recording={recording} selection={selection} settings={settings} />
        <Condition recording={recording} damage={damage} selection={selection} settings={settings} />
        <RecordingCard recording={recording} settings={settings} />
        {reader.canSave ? (
          <>
            <Downloads recording={recording} offsetMs={0} selection={selection} reader={reader} />
            <Share selection={selection} settings={settings} />
          </>
        ) : null}
      </div>
      <ValueTable rows={rows} selection={selection} settings={settings} />
    </>
  );
}
