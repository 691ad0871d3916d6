import { LoadedMenu } from "../parts/loaded-menu.js";
import type { ColumnsProps } from "./columns-panel.js";

const loadPanel = async () => (await import("./columns-panel.js")).ColumnsPanel;

/** The menu of the columns. Its content is loaded after the table, or when the menu opens. */
export function ColumnsMenu(props: ColumnsProps) {
  const mayLoad = !props.session.isReading.value;
  return (
    <LoadedMenu name="Columns…" class="squad-columns" load={loadPanel} mayLoad={mayLoad} props={props} />
  );
}
