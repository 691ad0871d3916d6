import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { droppedFiles, type OpenFiles } from "./open-files.js";

interface DropProps {
  onFiles: OpenFiles;
  /** Called when files open. Shows the view in which they appear. */
  onDropped: () => void;
}

/** Opens files that are dropped on the page, unless an element handles them itself. */
export function DropTarget({ onFiles, onDropped }: DropProps) {
  const isOver = useSignal(false);
  // this runs before the first paint, because the browser would open a file that is dropped earlier
  useLayoutEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      isOver.value = true;
    };
    const onDragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const onDrop = (event: DragEvent) => {
      isOver.value = false;
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      onDropped();
      if (event.dataTransfer !== null) droppedFiles(event.dataTransfer).then((files) => onFiles(files));
    };
    document.addEventListener("dragover", onDragOver);
    document.addEventListener("dragleave", onDragLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragover", onDragOver);
      document.removeEventListener("dragleave", onDragLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, [onFiles, onDropped, isOver]);
  return isOver.value ? <div class="drop-over">Drop to open</div> : null;
}

interface ChooseProps {
  onFiles: OpenFiles;
  isAdding?: boolean;
  /** Whether the user selects a folder with all its files. */
  isFolder?: boolean;
  class?: string;
  children: ComponentChildren;
}

/** A button that opens the file chooser. */
export function ChooseFiles({
  onFiles,
  isAdding = false,
  isFolder = false,
  class: className = "",
  children,
}: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={className} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        {...(isFolder ? { webkitdirectory: true } : {})}
        data-adding={isAdding}
        onChange={async ({ currentTarget }) => {
          await onFiles([...(currentTarget.files ?? [])], { isAdding });
          // allows the user to choose the same file again
          currentTarget.value = "";
        }}
      />
    </>
  );
}
