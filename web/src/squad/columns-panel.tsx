import "./columns-panel.css";
import { type Signal, useSignal } from "@preact/signals";
import { hasZoneSpeeds, SQUAD_COLUMNS, ZONE_KINDS, type ZoneKind } from "asi-convert/squad";
import { useLoaded } from "../view/use-loaded.js";
import type { ColumnChoice } from "./columns.js";
import type { RecipeChoiceProps } from "./recipes/recipe-list.js";
import type { SquadSession } from "./squad-session.js";
import type { Against } from "./table-model.js";

export interface ColumnsProps {
  session: SquadSession;
  columns: ColumnChoice;
  against: Signal<Against>;
}

/** Selects the columns of the table, the reference for their shading, and the limits of zones. */
export function ColumnsPanel({ session, columns, against }: ColumnsProps) {
  const keys = columns.keys.value;
  return (
    <>
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
          Restore defaults
        </button>
      </div>
      <Zones session={session} />
      <Recipes session={session} columns={columns} />
    </>
  );
}

const loadRecipes = () => import("./recipes/recipes-part.js");

/** Counts by custom definitions, loaded on demand. Open if the user has selected some. */
function Recipes({ session, columns }: RecipeChoiceProps) {
  const isOpen = useSignal(columns.recipes.value !== "");
  const part = useLoaded(loadRecipes, isOpen.value);
  return (
    <details
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>Counts by other definitions</summary>
      {part === null || !isOpen.value ? null : <part.RecipeChoice session={session} columns={columns} />}
    </details>
  );
}

const ZONE_NAMES = { mss: "of the maximum speed", asr: "of aerobic and maximum speed" };

/** Fixed limits, or individual limits if the roster contains the speeds of a player. */
function Zones({ session }: { session: SquadSession }) {
  const players = session.players.value;
  const chosen = session.zones.value;
  const kinds = ZONE_KINDS.filter(
    (kind) => kind === chosen || players.some(({ player }) => hasZoneSpeeds(kind, player)),
  );
  if (kinds.length === 0) return null;
  return (
    <div>
      <label>
        Limits{" "}
        <select
          value={chosen ?? ""}
          onChange={({ currentTarget }) => {
            session.zones.value = (currentTarget.value || null) as ZoneKind | null;
          }}
        >
          <option value="">fixed</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {ZONE_NAMES[kind]}
            </option>
          ))}
        </select>
      </label>
      {chosen === null ? null : (
        <p class="note">
          Players whose speeds are not in the roster have no high-speed distance and no sprints.
        </p>
      )}
    </div>
  );
}
