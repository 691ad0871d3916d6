import type { Signal } from "@preact/signals";
import { SQUAD_COLUMNS } from "asi-convert/squad";
import { Menu } from "../parts/menu.js";
import type { ColumnChoice } from "./columns.js";
import type { Against } from "./table-model.js";

/** The choice of columns of the table, and of the reference of their shades. */
export function ColumnsMenu({ columns, against }: { columns: ColumnChoice; against: Signal<Against> }) {
  const keys = columns.keys.value;
  return (
    <Menu name="Columns…" class="squad-columns">
      <fieldset aria-label="Columns">
        {SQUAD_COLUMNS.map(({ key, title }) => (
          <label key={key}>
            <input type="checkbox" checked={keys.includes(key)} onChange={() => columns.toggle(key)} />
            {title}
          </label>
        ))}
      </fieldset>
      <div class="buttons">
        <label>
          Shade{" "}
          <select
            value={against.value}
            onChange={({ currentTarget }) => {
              against.value = currentTarget.value as Against;
            }}
          >
            <option value="column">within the column</option>
            <option value="position">against the position</option>
          </select>
        </label>
        <button
          type="button"
          onClick={() => {
            columns.reset();
            against.value = "column";
          }}
        >
          As at first
        </button>
      </div>
    </Menu>
  );
}
