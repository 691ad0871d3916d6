import { useSignal } from "@preact/signals";
import { offerFile } from "../parts/offer-file.js";
import { isOutdated } from "../view/use-loaded.js";
import { sessionName } from "./scope-words.js";
import type { SquadSession } from "./squad-session.js";

type ExportParts = typeof import("./export-table.js");

/** Files of the session and its periods, with all digits and the quality. */
export function ExportPanel({ session }: { session: SquadSession }) {
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
    <>
      <button type="button" onClick={() => write("csv", ({ csvFile }) => csvFile(session, "."))}>
        CSV
      </button>
      <button type="button" onClick={() => write("csv", ({ csvFile }) => csvFile(session, ","))}>
        CSV with decimal commas
      </button>
      <button type="button" onClick={() => write("xlsx", ({ xlsxFile }) => xlsxFile(session))}>
        Excel (.xlsx)
      </button>
      <p class="note" style={{ maxWidth: "220px", margin: 0 }}>
        All players for the session, the match and each period, with all digits and the quality.
      </p>
      <p class="bad" role="alert">
        {problem.value}
      </p>
    </>
  );
}
