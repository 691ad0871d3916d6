import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { LoadedMenu } from "../parts/loaded-menu.js";
import type { ColumnChoice } from "./columns.js";
import type { SquadSession } from "./squad-session.js";

export interface ExportProps {
  session: SquadSession;
  columns: ColumnChoice;
}

const TOLD_MS = 2000;

/** Copies the visible table to the clipboard. */
export function CopyButton({ session, columns }: ExportProps) {
  const told = useSignal("");
  const text = told.value;
  useEffect(() => {
    if (text === "") return;
    const timer = setTimeout(() => {
      told.value = "";
    }, TOLD_MS);
    return () => clearTimeout(timer);
  }, [text, told]);
  const copy = async () => {
    try {
      const { tableText } = await import("./export-table.js");
      await navigator.clipboard.writeText(tableText(session, columns));
      told.value = "Copied";
    } catch {
      told.value = "Not allowed";
    }
  };
  return (
    <>
      <button type="button" onClick={copy}>
        {text === "" ? "Copy" : text}
      </button>
      <span class="for-readers" role="status">
        {text === "Copied" ? "The table is on the clipboard." : text}
      </span>
    </>
  );
}

const loadPanel = async () => (await import("./export-panel.js")).ExportPanel;

/** The menu of the files. Its content is loaded after the table, or when the menu opens. */
export function ExportMenu({ session }: ExportProps) {
  const mayLoad = !session.isReading.value;
  return (
    <LoadedMenu name="Export" class="squad-export" load={loadPanel} mayLoad={mayLoad} props={{ session }} />
  );
}
