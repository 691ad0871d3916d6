import type { Recording } from "../recording/recording.js";
import type { Settings } from "../view/settings.js";
import { day, zoneName } from "../view/times.js";
import { decimal, fileSize } from "../view/values.js";
import { Panel } from "./panel.js";

const KINDS = { asi: ".asi recording", fit: "FIT", gpx: "GPX", tcx: "TCX", csv: "CSV", service: "" } as const;

/** The header of the file. */
export function RecordingCard({ recording, settings }: { recording: Recording; settings: Settings }) {
  const { info, fileName, fileBytes, kind, rows, engine, notes, isReordered } = recording.facts;
  const zone = settings.zone.value;
  const device = [info?.deviceName, info?.deviceType].filter(Boolean).join(", ");
  return (
    <Panel title="Recording">
      <dl class="facts" data-engine={engine}>
        {device === "" ? null : <Fact name="Device" value={device} />}
        {info === null ? null : <Fact name="Serial number" value={info.serial} />}
        {info?.firmwareVersion ? <Fact name="Firmware" value={info.firmwareVersion} /> : null}
        <Fact name="Day" value={`${day(recording.startMs, zone)}, ${zoneName(zone)}`} />
        {kind === "service" ? (
          <Fact name="Size" value={`${decimal(rows, 0)} samples, from the service`} />
        ) : (
          <>
            <Fact name="File" value={fileName} />
            <Fact name="Size" value={`${fileSize(fileBytes)}, ${decimal(rows, 0)} samples, ${KINDS[kind]}`} />
          </>
        )}
      </dl>
      {notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      {isReordered ? (
        <p class="note">Samples were not in chronological order. They are shown sorted by time.</p>
      ) : null}
    </Panel>
  );
}

export function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
