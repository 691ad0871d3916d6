/** The part of the squad that is loaded when the user first opens its map. */
import "./map.css";
import type { SquadSession } from "../squad-session.js";
import { ChosenPlayer } from "./player-card.js";
import { SquadMap } from "./squad-map.js";

// The live view of a session draws the same dots.
export { drawMoment } from "./moment-canvas.js";

/** The map, with the selected player below it. */
export function MapSide({ session }: { session: SquadSession }) {
  return (
    <>
      <SquadMap session={session} />
      <ChosenPlayer session={session} />
    </>
  );
}
