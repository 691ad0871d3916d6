import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Menu } from "../parts/menu.js";
import { offerFile } from "../parts/offer-file.js";
import { isOutdated } from "../view/use-loaded.js";
import type { ColumnChoice } from "./columns.js";
import { sessionName } from "./scope-words.js";
import type { SquadSession } from "./squad-session.js";

export interface ExportProps {
  session: SquadSession;
  columns: ColumnChoice;
}

type ExportParts = typeof import("./export-table.js");

const TOLD_MS = 2000;

/** Copies the shown table to the clipboard. */
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

/** Files of the session and its periods, with all digits and the quality. */
export function ExportMenu({ session }: ExportProps) {
  const problem = useSignal("");
  const write = async (extension: string, file: (parts: ExportParts) => Promise<Blob>) => {
    problem.value = "";
    try {
      const parts = await import("./export-table.js");
      const { fileTitle } = parts;
      const blob = await file(parts);
      offerFile(blob, `${fileTitle(session, sessionName(session))}.${extension}`);
    } catch (error) {
      if (error instanceof TypeError) isOutdated.value = true;
      problem.value = "The file could not be written.";
    }
  };
  return (
    <Menu name="Export" class="squad-export">
      <button type="button" onClick={() => write("csv", ({ csvFile }) => csvFile(session, "."))}>
        CSV
      </button>
      <button type="button" onClick={() => write("csv", ({ csvFile }) => csvFile(session, ","))}>
        CSV with decimal commas
      </button>
      <button type="button" onClick={() => write("xlsx", ({ xlsxFile }) => xlsxFile(session))}>
        Excel (.xlsx)
      </button>
      <p class="note">All players for the session and each period, with all digits and the quality.</p>
      <p class="bad" role="alert">
        {problem.value}
      </p>
    </Menu>
  );
}
