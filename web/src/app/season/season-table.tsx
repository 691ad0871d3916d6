import type { Client } from "asi-client";
import {
  figureName,
  numberAndName,
  type PanelFrame,
  SEASON_HEADS,
  type SeasonPlayer,
  seasonCells,
} from "./chart.js";
import "./season-table.css";

interface Props {
  /** For `lazily`. */
  client: Client;
  players: readonly SeasonPlayer[];
  frame: PanelFrame;
}

/** The panels as a table. It is a separate script, because the panels are shown first. */
export function SeasonTable({ players, frame }: Props) {
  const name = figureName(frame.column);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it sideways
    <section class="panel padded scrolled-x" aria-label={`${name}, as a table`} tabIndex={0}>
      <table class="season-table">
        <caption>{name}</caption>
        <thead>
          <tr>
            <th scope="col">Player</th>
            {SEASON_HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {players.map((player) => (
            <tr key={numberAndName(player)}>
              <th scope="row">{numberAndName(player)}</th>
              {seasonCells(player, frame).map((text, i) => (
                <td key={SEASON_HEADS[i]}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
