import type { Client, Resource } from "asi-client";
import { athleteName } from "./names.js";
import { collected } from "./parts/collected.js";

/** The limit of the service for one page. */
const LIMIT = 3000;

/** All athletes whom the manager may see at present. @throws ApiError, AwayError */
export const visibleAthletes = (client: Client, signal: AbortSignal): Promise<Resource["Athlete"][]> =>
  collected(
    client.list("/api/v1/athletes/", {
      params: { query: { limit: LIMIT, ordering: "last_name" } },
      signal,
    }),
  );

/** The name of an athlete. The service does not return it if the manager can no longer see the athlete. */
export const nameIn = (athletes: ReadonlyMap<number, Resource["Athlete"]>, id: number): string => {
  const athlete = athletes.get(id);
  return athlete === undefined ? `Athlete ${id}` : athleteName(athlete);
};
