import type { Signal } from "@preact/signals";
import { Segmented } from "../parts/segmented.js";
import { useLoaded } from "../view/use-loaded.js";
import { room } from "./room.js";
import type { SquadSession } from "./squad-session.js";

/** The visible part if the window is too small for all parts. */
export type Part = "table" | "clock" | "map";

/** Returns the parts of the squad that fit into the window. */
export function shownParts(part: Part): {
  table: "figures" | "now" | "names" | null;
  hasClock: boolean;
  hasMap: boolean;
} {
  switch (room.value) {
    case "all":
      return { table: "figures", hasClock: true, hasMap: true };
    case "two":
      return { table: part === "map" ? "now" : "figures", hasClock: true, hasMap: part === "map" };
    case "one":
      return {
        table: part === "map" ? null : part === "clock" ? "names" : "figures",
        hasClock: part === "clock",
        hasMap: part === "map",
      };
  }
}

/** Selects a part if the window is too small for all of them. */
export function PartChoice({ part }: { part: Signal<Part> }) {
  if (room.value === "all") return null;
  if (room.value === "one") {
    return (
      <Segmented
        label="View"
        choice={part}
        choices={[
          ["table", "Table"],
          ["clock", "Clock"],
          ["map", "Map"],
        ]}
      />
    );
  }
  const isMap = part.value === "map";
  return (
    <fieldset class="segmented" aria-label="View">
      <button type="button" aria-pressed={!isMap} onClick={() => (part.value = "table")}>
        Figures
      </button>
      <button type="button" aria-pressed={isMap} onClick={() => (part.value = "map")}>
        Map
      </button>
    </fieldset>
  );
}

const loadMap = () => import("./map/map-part.js");

/** The map with the selected player, loaded on first use. */
export function Side({ session }: { session: SquadSession }) {
  const part = useLoaded(loadMap);
  return (
    <aside class="squad-side" aria-label="Map and chosen player">
      {part === null ? null : <part.MapSide session={session} />}
    </aside>
  );
}
