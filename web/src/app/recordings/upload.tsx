import { useSignal } from "@preact/signals";
import type { Resource } from "asi-client";
import { useRef } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import { fileSize } from "../../view/values.js";
import type { Session } from "../session.js";
import { accountOf } from "./account-of-upload.js";
import { isOver, type Upload as OneUpload, type UploadQueue, uploadsOf } from "./upload-queue.js";

interface Props {
  session: Session;
  device: Resource["Device"];
  settings: Settings;
}

/** Loads recordings into a device, and tells what became of each. */
export function Upload({ session, device, settings }: Props) {
  const queue = uploadsOf(session);
  const input = useRef<HTMLInputElement>(null);
  const isAbove = useSignal(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
  const uploads = queue.uploads.value;
  const own = uploads.filter((upload) => upload.device === device.id);
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
        <p class="muted">Drop .asi files of this device here. What is stored already is not stored twice.</p>
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          Choose files…
        </button>
        <input
          ref={input}
          type="file"
          multiple
          accept=".asi"
          hidden
          data-upload
          onChange={({ currentTarget }) => {
            queue.add(device.id, [...(currentTarget.files ?? [])]);
            // so that the same file can be chosen again
            currentTarget.value = "";
          }}
        />
      </div>
      {own.length === 0 ? null : (
        <ul class="upload-list" aria-label="Files">
          {own.map((upload) => (
            <UploadItem key={upload.file} upload={upload} queue={queue} settings={settings} />
          ))}
        </ul>
      )}
      {uploads.length > own.length ? (
        <p class="note">Files of other devices are being uploaded too: {uploads.length - own.length}.</p>
      ) : null}
    </section>
  );
}

interface ItemProps {
  upload: OneUpload;
  queue: UploadQueue;
  settings: Settings;
}

function UploadItem({ upload, queue, settings }: ItemProps) {
  const { file } = upload;
  const state = upload.state.value;
  // once all of it has arrived, the service stores it
  const canCancel = state.step === "waiting" || (state.step === "sending" && state.sentBytes < file.size);
  const canRetry = state.step === "failed" || state.step === "cancelled";
  return (
    <li class={`upload is-${state.step}`}>
      <div class="upload-head">
        <strong>{file.name}</strong>
        <span class="muted">{fileSize(file.size)}</span>
        <span class="spacer" />
        {canCancel ? (
          <button type="button" aria-label={`Cancel ${file.name}`} onClick={() => queue.cancel(upload)}>
            Cancel
          </button>
        ) : null}
        {canRetry ? (
          <button
            type="button"
            aria-label={`Try again with ${file.name}`}
            onClick={() => queue.retry(upload)}
          >
            Try again
          </button>
        ) : null}
        {isOver(upload) ? (
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${file.name} from the list`}
            onClick={() => queue.dismiss(upload)}
          >
            ×
          </button>
        ) : null}
      </div>
      {state.step === "sending" || state.step === "storing" ? (
        <progress
          {...(state.step === "sending" ? { value: state.sentBytes, max: Math.max(1, file.size) } : {})}
          aria-label={`Uploading ${file.name}`}
        />
      ) : null}
      <div role="status">
        <StateInWords upload={upload} settings={settings} />
      </div>
    </li>
  );
}

function StateInWords({ upload: { file, state }, settings }: Pick<ItemProps, "upload" | "settings">) {
  const current = state.value;
  switch (current.step) {
    case "waiting":
      return <p class="muted">Waits for the files before it.</p>;
    case "sending":
      return current.sentBytes === 0 ? (
        <p class="muted">Sending…</p>
      ) : (
        <p class="muted">
          Sent {fileSize(current.sentBytes)} of {fileSize(file.size)}
        </p>
      );
    case "storing":
      return (
        <p class="muted">{current.isStarted ? "Storing…" : "Sent. Waits for the service to store it…"}</p>
      );
    case "cancelled":
      return <p class="muted">Cancelled. Nothing of it was stored.</p>;
    case "failed":
      return (
        <p class="bad">
          <strong>Not stored.</strong> {current.reason}
        </p>
      );
    case "stored":
      return (
        <>
          {accountOf(current.details, settings.zone.value).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </>
      );
  }
}
