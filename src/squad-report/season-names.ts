import type { SeasonPlayer, SquadColumn } from "../squad/index.js";

/** Formats a player: `10 Lang`. */
export const numberAndName = ({ number, name }: SeasonPlayer): string =>
  [number, name].filter((part) => part !== null).join(" ");

/** Returns the name of a figure with its unit, for a choice or as the title of a table. */
export const figureName = ({ title, unit }: SquadColumn): string =>
  unit === "" || unit === "min" ? title : `${title}, ${unit}`;
