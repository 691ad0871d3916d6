import { useSignal } from "@preact/signals";
import type { Resource } from "asi-client";
import { useRef } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import type { Session } from "../session.js";
import { countsOf } from "./upload-counts.js";
import { UploadItem } from "./upload-item.js";
import { isOver, type Upload as OneUpload, uploadsOf } from "./upload-queue.js";

interface Props {
  session: Session;
  device: Resource["Device"];
  /** All devices of the manager: a file may be from another one. */
  owned: readonly Resource["Device"][];
  settings: Settings;
}

/** Uploads recordings to a device, and shows the result of each. */
export function Upload({ session, device, owned, settings }: Props) {
  const queue = uploadsOf(session);
  const input = useRef<HTMLInputElement>(null);
  const isAbove = useSignal(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
  const uploads = queue.uploads.value;
  // includes uploads to other devices that were refused because they belong to this one
  const own = uploads.filter(
    (upload) => upload.device === device.id || serialOf(upload) === device.serial_number,
  );
  const elsewhere = uploads.filter((upload) => !own.includes(upload) && !isOver(upload.state.value));
  return (
    <section class="panel padded uploads" aria-label="Upload recordings">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same with the keyboard */}
      <div
        class={isAbove.value ? "upload-zone is-over" : "upload-zone"}
        onDragOver={(event) => {
          if (!hasFiles(event)) return;
          event.preventDefault();
          isAbove.value = true;
        }}
        onDragLeave={() => {
          isAbove.value = false;
        }}
        onDrop={(event) => {
          isAbove.value = false;
          if (!hasFiles(event)) return;
          event.preventDefault();
          queue.add(device.id, [...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <h2>Upload recordings</h2>
        <p class="muted">
          Drop .asi files of this device here, compressed with gzip or not. Stored data is not stored again.
        </p>
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          Choose files…
        </button>
        <input
          ref={input}
          type="file"
          multiple
          accept=".asi,.gz"
          hidden
          data-upload
          onChange={({ currentTarget }) => {
            queue.add(device.id, [...(currentTarget.files ?? [])]);
            // so that the same file can be chosen again
            currentTarget.value = "";
          }}
        />
      </div>
      {own.length < 2 ? null : (
        <p class="note upload-counts">
          {own.length} files: {countsOf(own)}.
        </p>
      )}
      {own.length === 0 ? null : (
        <ul class="upload-list" aria-label="Files">
          {own.map((upload) => (
            <UploadItem
              key={upload.file}
              upload={upload}
              queue={queue}
              device={device}
              owned={owned}
              settings={settings}
            />
          ))}
        </ul>
      )}
      {elsewhere.length === 0 ? null : <p class="note">Files of other devices: {countsOf(elsewhere)}.</p>}
    </section>
  );
}

function serialOf({ state }: OneUpload): string | null {
  const current = state.value;
  return current.step === "failed" ? current.otherSerial : null;
}
