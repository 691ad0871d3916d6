/**
 * A squad in the measured service. Each player wears a tracker. The squad has a match with samples, and earlier
 * sessions with stored figures.
 */
import { sql } from "drizzle-orm";
import { insertManagedAthlete } from "../src/domain/accounts/managed-athlete.js";
import { transact } from "../src/domain/change/change.js";
import { sessionFigures } from "../src/store/schema.js";
import { idle } from "./computed-data.js";
import { type Scene, START_MS, storeMatch } from "./scene.js";

export interface SquadExtent {
  players: number;
  periods: number;
  sessions: number;
  rounds: number;
  coldRounds: number;
}

/** Measured paths. */
export interface SquadPlaces {
  table: string;
  season: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const MATCH_MINUTES = 90;
const EVER = "2999-01-01T00:00:00Z";

const at = (ms: number): string => new Date(ms).toISOString();

export async function prepareSquad(
  scene: Scene,
  { players, periods, sessions }: SquadExtent,
): Promise<SquadPlaces> {
  const { id: squad } = await scene.post("/api/v2/squads/", { name: "First team" });
  const own = { start_time: at(START_MS), end_time: EVER };
  for (let number = 1; number <= players; number++) {
    const device = await scene.addDevice(`SQUAD-${number}`);
    await storeMatch({ ...scene, deviceId: device }, MATCH_MINUTES * 60);
    const { id: athlete } = await transact(scene.ctx, "bench", (change) =>
      insertManagedAthlete(change, scene.managerId, {}),
    );
    await scene.post("/api/v2/members/", { squad, athlete, number, params: {}, ...own });
    await scene.post("/api/v2/assignments/", { device, athlete, ...own });
  }
  const match = await sessionOn(scene, squad, 0);
  const lengthMs = (MATCH_MINUTES * MINUTE_MS) / periods;
  await scene.put(
    `/api/v2/sessions/${match}/periods/`,
    Array.from({ length: periods }, (_, i) => ({
      name: `Part ${i + 1}`,
      start_time: at(START_MS + i * lengthMs),
      end_time: at(START_MS + (i + 1) * lengthMs),
      athlete: null,
    })),
  );
  const table = `/api/v2/sessions/${match}/figures/`;
  await scene.get(table);
  for (let day = 1; day < sessions; day++)
    await scene.get(`/api/v2/sessions/${await sessionOn(scene, squad, day)}/figures/`);
  await copyFigures(scene, match);
  // The time frames of all sessions are computed in the background.
  await idle(scene);
  return { table, season: `/api/v2/squads/${squad}/season/` };
}

async function sessionOn(scene: Scene, squad: number, day: number): Promise<number> {
  const startMs = START_MS + day * DAY_MS;
  const { id } = await scene.post("/api/v2/sessions/", {
    name: `Day ${day}`,
    squad,
    kind: "match",
    sport: "soccer",
    start_time: at(startMs),
    end_time: at(startMs + MATCH_MINUTES * MINUTE_MS),
  });
  return id;
}

/** Copies the figures of the match to the sessions without samples. Their rows then have the usual size. */
async function copyFigures({ ctx }: Scene, match: number): Promise<void> {
  await ctx.queries.execute(sql`
    UPDATE ${sessionFigures} AS other SET figures = whole.figures,
      recorded_ms = whole.recorded_ms, seconds = whole.seconds, details = whole.details FROM ${sessionFigures} AS whole
    WHERE whole.session_id = ${match} AND whole.period = '' AND other.session_id <> ${match}
      AND other.athlete_id = whole.athlete_id`);
}

export async function forgetFigures({ ctx }: Scene): Promise<null> {
  await ctx.queries.delete(sessionFigures);
  return null;
}
