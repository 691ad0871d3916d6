import type { ReadonlySignal } from "@preact/signals";
import type { Damage } from "asi-convert";
import type { ComponentChildren } from "preact";
import type { PlotRow } from "../plots/plot-panel.js";
import type { RecordingService } from "../recording/messages.js";
import type { Placed } from "../recording/placed.js";
import type { Figures, Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { Condition } from "./condition.js";
import { Downloads } from "./downloads.js";
import { FigurePanels } from "./figures.js";
import { HeartRangePanel } from "./heart-range-panel.js";
import { LoadedFold } from "./loaded-fold.js";
import { PeaksPanel } from "./peaks-panel.js";
import { Ranges } from "./ranges.js";
import { RecipesPanel } from "./recipes-panel.js";
import { RecordingCard } from "./recording-card.js";
import { Share } from "./share.js";
import { ValueTable } from "./value-table.js";

const loadProfile = async () => (await import("./speed-profile.js")).Profile;
const loadMetabolicPower = async () => (await import("./metabolic.js")).MetabolicPower;
const loadStandardRuns = async () => (await import("./standard-runs.js")).StandardRuns;

interface Props {
  placed: readonly Placed[];
  recording: Recording;
  figures: Figures | null;
  damage: ReadonlySignal<Damage | null>;
  rows: readonly PlotRow[];
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
  /** Additional information about the recording. */
  children?: ComponentChildren;
}

/** Details below map and plots. */
export function Details(props: Props) {
  const { placed, recording, figures, damage, rows, selection, settings, reader, children } = props;
  const shared = { recording, selection, settings, reader };
  return (
    <>
      <PeaksPanel recording={recording} selection={selection} settings={settings} reader={reader} />
      {recording.channels.heartRate === undefined ? null : (
        <HeartRangePanel recording={recording} selection={selection} settings={settings} reader={reader} />
      )}
      <RecipesPanel recording={recording} selection={selection} settings={settings} reader={reader} />
      <LoadedFold title="Acceleration-speed profile" load={loadProfile} props={shared} />
      <LoadedFold title="Metabolic power (estimate)" load={loadMetabolicPower} props={shared} />
      <LoadedFold title="Standard runs (experimental)" load={loadStandardRuns} props={shared} />
      <div class="details">
        {figures === null ? null : (
          <FigurePanels figures={figures} selection={selection} settings={settings} />
        )}
        {children}
        <Ranges recording={recording} selection={selection} settings={settings} />
        <Condition recording={recording} damage={damage} selection={selection} settings={settings} />
        <RecordingCard recording={recording} settings={settings} />
        {reader.canSave ? (
          <>
            <Downloads placed={placed} selection={selection} settings={settings} reader={reader} />
            {/* a link cannot contain data of the service, and there is no file to send with the link */}
            {recording.facts.kind === "service" ? null : (
              <Share
                file={{ name: recording.facts.fileName, bytes: recording.facts.fileBytes }}
                selection={selection}
                settings={settings}
              />
            )}
          </>
        ) : null}
      </div>
      <ValueTable rows={rows} selection={selection} settings={settings} axis="clock" />
    </>
  );
}
