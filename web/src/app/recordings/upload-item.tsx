import type { Settings } from "../../view/settings.js";
import { fileSize } from "../../view/values.js";
import { accountOf } from "./account-of-upload.js";
import { isOver, type Upload, type UploadQueue } from "./upload-queue.js";

interface ItemProps {
  upload: Upload;
  queue: UploadQueue;
  settings: Settings;
}

/** An upload, with the progress of its file and the result. */
export function UploadItem({ upload, queue, settings }: ItemProps) {
  const { file } = upload;
  const state = upload.state.value;
  // after the last byte, the service stores the file
  const canCancel = state.step === "waiting" || (state.step === "sending" && state.sentBytes < file.size);
  const canRetry = state.step === "cancelled" || (state.step === "failed" && state.isTemporary);
  return (
    <li class={`upload is-${state.step}`}>
      <div class="upload-head">
        <strong>{file.name}</strong>
        <span class="muted">
          {fileSize(file.size)}
          {state.step === "stored" ? `, device ${state.serial}` : null}
        </span>
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
        {isOver(state) ? (
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
      {state.step === "failed" && state.unknownSerial !== null ? (
        <p>
          The file stays here:{" "}
          <a href={`#/devices?take=${encodeURIComponent(state.unknownSerial)}`}>claim this device</a>, then
          try again.
        </p>
      ) : null}
    </li>
  );
}

function StateInWords({ upload: { file, state }, settings }: Pick<ItemProps, "upload" | "settings">) {
  const current = state.value;
  switch (current.step) {
    case "waiting":
      return <p class="muted">Waiting for the files before this one.</p>;
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
        <p class="muted">{current.isStarted ? "Storing…" : "Sent. Waiting for the service to store it…"}</p>
      );
    case "cancelled":
      return <p class="muted">Cancelled. No data was stored.</p>;
    case "failed":
      return (
        <p class="bad">
          <strong>Not stored.</strong> {current.reason}
        </p>
      );
    case "stored":
      return (
        <>
          {accountOf(current.details, settings.zone.value, current.isRepeated).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </>
      );
  }
}
