import { useSignal } from "@preact/signals";
import { Menu } from "../parts/menu.js";
import { useLoaded } from "../view/use-loaded.js";
import type { ColumnsProps } from "./columns-panel.js";

const loadPanel = async () => (await import("./columns-panel.js")).ColumnsPanel;

/** The menu of the columns; its content is loaded after the table, or when it is opened. */
export function ColumnsMenu(props: ColumnsProps) {
  const isOpened = useSignal(false);
  const Panel = useLoaded(loadPanel, isOpened.value || !props.session.isReading.value);
  return (
    <Menu
      name="Columns…"
      class="squad-columns"
      onOpen={() => {
        isOpened.value = true;
      }}
    >
      {Panel === null ? null : <Panel {...props} />}
    </Menu>
  );
}
