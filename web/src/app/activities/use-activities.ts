import { type Client, type Resource, unwrap } from "asi-client";
import { type SearchedList, useSearchedList } from "../parts/list.js";

/** Loads the activities of the manager, sorted by name. */
export const useActivities = (client: Client): SearchedList<Resource["Activity"]> =>
  useSearchedList("activities", (query, signal) =>
    unwrap(
      client.GET("/api/v1/activities/", {
        params: { query: { ...query, ordering: "name", with_summary: true } },
        signal,
      }),
    ),
  );
