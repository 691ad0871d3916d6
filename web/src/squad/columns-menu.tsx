import { Menu } from "../parts/menu.js";
import { useLoaded } from "../view/use-loaded.js";
import type { ColumnsProps } from "./columns-panel.js";

const loadPanel = async () => (await import("./columns-panel.js")).ColumnsPanel;

/** The menu of the columns; its content is loaded after the table. */
export function ColumnsMenu(props: ColumnsProps) {
  const Panel = useLoaded(loadPanel, !props.session.isReading.value);
  return (
    <Menu name="Columns…" class="squad-columns">
      {Panel === null ? null : <Panel {...props} />}
    </Menu>
  );
}
