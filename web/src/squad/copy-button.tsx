import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ExportProps } from "./export-menu.js";
import { tableText } from "./export-table.js";

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
