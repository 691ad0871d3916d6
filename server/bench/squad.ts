/**
 * Measures the promises of the service about squads: the table of a session with and without stored figures, and the
 * season.
 */
import { Client } from "./client.js";
import { interleave, median } from "./measure.js";
import type { MeasuredService } from "./measured-service.js";
import type { SquadExtent, SquadPlaces } from "./squad-scene.js";

/** Medians of the response times, ms. */
export interface SquadFigures {
  tableMs: number;
  seasonMs: number;
  /** Median for the table without stored figures, ms. */
  coldTableMs: number;
}

const PREPARE_TIMEOUT_MS = 600_000;
const FORGET_TIMEOUT_MS = 60_000;
const WARM_UP_ROUNDS = 3;

export async function measureSquad(service: MeasuredService, extent: SquadExtent): Promise<SquadFigures> {
  const { table, season } = await service.ask("squad", extent, PREPARE_TIMEOUT_MS);
  const client = new Client(service);
  try {
    await checkContent(client, { table, season }, extent);
    const stored = { table: () => client.time(table), season: () => client.time(season) };
    const times = await interleave(stored, extent.rounds, WARM_UP_ROUNDS);
    const coldMs: number[] = [];
    for (let round = 0; round < extent.coldRounds; round++) {
      await service.ask("forgetFigures", null, FORGET_TIMEOUT_MS);
      coldMs.push(await client.time(table));
    }
    return { tableMs: median(times.table), seasonMs: median(times.season), coldTableMs: median(coldMs) };
  } finally {
    client.close();
  }
}

/** Checks that the table and the season have figures, because empty ones would be fast. */
async function checkContent(
  client: Client,
  { table, season }: SquadPlaces,
  { players, periods, sessions }: SquadExtent,
): Promise<void> {
  const isFilled = ({ figures }: { figures: { distance_m: number | null } }) => figures.distance_m !== null;
  const { rows } = JSON.parse(String(await client.get(table)));
  // Two periods can be the halves of a match; their sum then also has rows.
  const filled = rows
    .filter(isFilled)
    .filter(({ period }: { period: string | null }) => period !== "Match").length;
  if (filled !== players * (periods + 1)) throw new Error(`The table has ${filled} rows with figures`);
  const body = JSON.parse(String(await client.get(season)));
  const entries = body.players.flatMap((player: { entries: [] }) => player.entries).filter(isFilled).length;
  if (entries !== players * sessions) throw new Error(`The season has ${entries} entries with figures`);
}
