import "./columns-panel.css";
import { type Signal, useSignal } from "@preact/signals";
import { hasZoneSpeeds, SQUAD_COLUMNS, ZONE_KINDS, type ZoneKind } from "asi-convert/squad";
import type { ComponentChildren } from "preact";
import { useLoaded } from "../view/use-loaded.js";
import type { ColumnChoice } from "./columns.js";
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
      <More name="Peaks, metabolic power, standard runs" isChosen={columns.optionalKeys.value !== ""}>
        {({ OptionalFigureChoice }) => <OptionalFigureChoice session={session} columns={columns} />}
      </More>
      <More name="Counts by other definitions" isChosen={columns.recipes.value !== ""}>
        {({ RecipeChoice }) => <RecipeChoice session={session} columns={columns} />}
      </More>
    </>
  );
}

const loadPart = () => import("./recipes/recipes-part.js");
type Part = Awaited<ReturnType<typeof loadPart>>;

interface MoreProps {
  name: string;
  /** Whether the user has selected some. */
  isChosen: boolean;
  children: (part: Part) => ComponentChildren;
}

/** Further columns, whose selection is loaded on demand. The part is open if the user has selected some. */
function More({ name, isChosen, children }: MoreProps) {
  const isOpen = useSignal(isChosen);
  const part = useLoaded(loadPart, isOpen.value);
  return (
    <details
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{name}</summary>
      {part === null || !isOpen.value ? null : children(part)}
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
