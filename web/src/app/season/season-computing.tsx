import { type Loaded, useReloads } from "../parts/request.js";
import type { StoredSeason } from "./season-data.js";

/** Says that sessions are being computed, and loads the season again until none is. */
export function SeasonComputing({ request }: { request: Loaded<StoredSeason> }) {
  const sessions = request.data?.sessions ?? [];
  const { length } = sessions.filter(({ computing }) => computing);
  useReloads(request, length > 0);
  return (
    <p class="loading" role="status">
      {length === 0 ? null : `Computing ${length} of ${sessions.length} sessions…`}
    </p>
  );
}
