import type { Client, Resource } from "asi-client";
import { athleteName } from "./names.js";
import { collected } from "./parts/collected.js";

/** The limit of the service for the length of a page. */
const LIMIT = 3000;

/** Loads all athletes whom the manager may see at present. @throws ApiError, AwayError */
export const visibleAthletes = (client: Client, signal: AbortSignal): Promise<Resource["Athlete"][]> =>
  collected(
    client.list("/api/v1/athletes/", {
      params: { query: { limit: LIMIT, ordering: "last_name" } },
      signal,
    }),
  );

/** Returns the name of an athlete, or only the number if the manager can no longer see the athlete. */
export const nameIn = (athletes: ReadonlyMap<number, Resource["Athlete"]>, id: number): string => {
  const athlete = athletes.get(id);
  return athlete === undefined ? `Athlete ${id}` : athleteName(athlete);
};
