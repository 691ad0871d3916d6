import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { droppedFiles } from "../../parts/open-files.js";
import type { Settings } from "../../view/settings.js";
import type { Session } from "../session.js";
import { countsOf, timesOfStored } from "./upload-counts.js";
import { UploadItem } from "./upload-item.js";
import { isOver, type Upload as OneUpload, type UploadQueue, uploadsOf } from "./upload-queue.js";

interface Props {
  session: Session;
  settings: Settings;
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;

/** Files with a problem come first, because they need attention. */
const inOrder = (uploads: readonly OneUpload[]): OneUpload[] =>
  uploads.toSorted((a, b) => Number(isFailed(b)) - Number(isFailed(a)));

const isFailed = ({ state }: OneUpload) => state.value.step === "failed";

/** Uploads recordings that the user selects, or drops anywhere in the view, and shows the result of each. */
export function Upload({ session, settings }: Props) {
  const queue = uploadsOf(session);
  const input = useRef<HTMLInputElement>(null);
  const isAbove = useSignal(false);
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isAbove.value = true;
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) isAbove.value = false;
    };
    const onDrop = (event: DragEvent) => {
      isAbove.value = false;
      const { dataTransfer } = event;
      if (!hasFiles(event) || dataTransfer === null) return;
      event.preventDefault();
      droppedFiles(dataTransfer).then((files) => queue.add(files));
    };
    // handles the event before the page, which would open the files in the viewer
    document.addEventListener("dragover", onDragOver, true);
    document.addEventListener("dragleave", onDragLeave, true);
    document.addEventListener("drop", onDrop, true);
    return () => {
      document.removeEventListener("dragover", onDragOver, true);
      document.removeEventListener("dragleave", onDragLeave, true);
      document.removeEventListener("drop", onDrop, true);
    };
  }, [queue, isAbove]);
  const uploads = queue.uploads.value;
  const times = timesOfStored(uploads);
  const isDone = uploads.every(({ state }) => isOver(state.value));
  return (
    <section class="panel padded uploads" aria-label="Upload recordings">
      <div class={isAbove.value ? "upload-zone is-over" : "upload-zone"}>
        <div>
          <h2>Upload recordings</h2>
          <p class="muted">
            Drop .asi files of any of your devices here, compressed with gzip or not. Each file contains the
            serial number of its device.
          </p>
        </div>
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
            queue.add([...(currentTarget.files ?? [])]);
            // allows the user to choose the same file again
            currentTarget.value = "";
          }}
        />
      </div>
      <NotUploadedBefore queue={queue} />
      {uploads.length < 2 ? null : (
        <p class="note upload-counts" role="status">
          {uploads.length} files: {countsOf(uploads)}.
        </p>
      )}
      {isDone && times !== null ? (
        <p>
          <a
            class="button"
            href={`#/sessions/new?from=${encodeURIComponent(times.start)}&to=${encodeURIComponent(times.stop)}`}
          >
            Create a session from these
          </a>
        </p>
      ) : null}
      {uploads.length === 0 ? null : (
        <ul class="upload-list" aria-label="Files">
          {inOrder(uploads).map((upload) => (
            <UploadItem key={upload.file} upload={upload} queue={queue} settings={settings} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The files that were not uploaded when the page was closed or loaded again. */
function NotUploadedBefore({ queue: { notUploaded } }: { queue: UploadQueue }) {
  const names = notUploaded.earlier.value;
  if (names.length === 0) return null;
  return (
    <div role="status">
      <p>
        <strong>Not uploaded</strong> before this page was loaded again: {names.join(", ")}. Choose these
        files again.
      </p>
      <button type="button" onClick={() => notUploaded.dismiss()}>
        Dismiss
      </button>
    </div>
  );
}
