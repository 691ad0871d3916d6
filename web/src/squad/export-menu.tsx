import { LoadedMenu } from "../parts/loaded-menu.js";
import type { ColumnChoice } from "./columns.js";
import type { SquadSession } from "./squad-session.js";

export interface ExportProps {
  session: SquadSession;
  columns: ColumnChoice;
}

const loadPanel = async () => (await import("./export-panel.js")).ExportPanel;

/** The menu of the files. Its content is loaded after the table, or when the menu opens. */
export function ExportMenu({ session }: ExportProps) {
  const mayLoad = !session.isReading.value;
  return (
    <LoadedMenu name="Export" class="squad-export" load={loadPanel} mayLoad={mayLoad} props={{ session }} />
  );
}
