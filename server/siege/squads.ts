import { SQUAD_COLUMNS } from "asi-convert/squad";
import { FILE_COLUMNS } from "asi-convert/squad-report";
import { sql } from "drizzle-orm";
import { FIGURES_VERSION } from "../src/domain/sessions/figures-inputs.js";
import { storedTexts } from "../src/domain/sessions/stored-figures.js";
import type { Queries } from "../src/store/connection/database.js";
import type { Party } from "./scene.js";

/** The squad of an attacker. */
export interface SquadExtent {
  /** Number of managed athletes. */
  athletes: number;
  /** Number of members in the squad. */
  members: number;
  /** Number of assignments of the device, one after another within 24 hours. */
  assignments: number;
  /** Number of times that the device is taken and released within the 24 hours. */
  ownerships: number;
  /** Number of sessions of 24 hours each. The first session starts with the recording. */
  sessions: number;
  /** Periods of each session, each as long as the session. */
  periods: number;
  /** Members with stored figures in each session. */
  figures: number;
  /** Number of breaks in the data of each of these members. */
  breaks: number;
}

const HOUR_MS = 3_600_000;
export const SESSION_MS = 24 * HOUR_MS;

const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
const ms = (count: number) => sql`(${count} * interval '1 ms')`;
const EVER = sql`timestamptz '2999-12-31T23:59:59Z'`;

type SquadParty = Pick<Party, "id" | "device" | "schemas" | "startMs">;

/** Adds a squad to a party, with a history that would take many requests. No service may be running. */
export async function giveSquad(queries: Queries, party: SquadParty, extent: SquadExtent): Promise<void> {
  const { id, device, startMs } = party;
  const since = at(startMs - 1000 * HOUR_MS);
  await queries.execute(sql`
    WITH added AS (
      INSERT INTO accounts (role, username, username_key, email, first_name, last_name, managed_by, created_at)
      SELECT 'ATHLETE', 'MANAGED-' || ${id}::int || '-' || n, 'managed-' || ${id}::int || '-' || n, '', 'Émilie ' || n, 'Von der Heide', ${id}, ${since}
      FROM generate_series(1, ${extent.athletes}) AS n RETURNING id
    )
    INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
    SELECT added.id, ${id}, kind, timestamptz '1970-01-01Z', timestamptz '2199-12-31T23:59:59.999Z'
    FROM added, unnest(ARRAY['READ', 'WRITE', 'SHARE']) AS kind`);
  await queries.execute(sql`
    INSERT INTO squads (name, owner_id, created_at) VALUES ('Besiegers', ${id}, ${since})`);
  const squad = sql`(SELECT min(id) FROM squads WHERE owner_id = ${id})`;
  await queries.execute(sql`
    INSERT INTO squad_members (squad_id, athlete_id, params, start_time, end_time)
    SELECT ${squad}, id, '{}', ${since}, ${EVER} FROM accounts
    WHERE managed_by = ${id} AND NOT is_default_athlete ORDER BY id LIMIT ${extent.members}`);
  const member = sql`(SELECT athlete_id, row_number() OVER (ORDER BY id) - 1 AS place FROM squad_members WHERE squad_id = ${squad}) AS member`;
  const partMs = SESSION_MS / Math.max(1, extent.assignments);
  await queries.execute(sql`
    INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
    SELECT ${id}, ${device}, athlete_id, ${at(startMs)} + n * ${ms(partMs)}, ${at(startMs)} + (n + 1) * ${ms(partMs)}
    FROM generate_series(0, ${extent.assignments - 1}) AS n JOIN ${member} ON place = n % ${Math.max(1, extent.members)}`);
  const ownedMs = SESSION_MS / Math.max(1, extent.ownerships);
  await queries.execute(sql`
    INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
    SELECT ${device}, ${id}, ${at(startMs)} + n * ${ms(ownedMs)}, ${at(startMs)} + (n + 1) * ${ms(ownedMs)} - interval '1 ms'
    FROM generate_series(0, ${extent.ownerships - 1}) AS n`);
  await queries.execute(sql`
    WITH added AS (
      INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
      SELECT 'Siege', '{"sport": "soccer"}', ${party.schemas.activity_soccer}, ${id}, ${since}
      FROM generate_series(1, ${extent.sessions}) RETURNING id
    ), placed AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM added)
    INSERT INTO sessions (activity_id, squad_id, kind, start_time, end_time)
    SELECT id, ${squad}, 'match', ${at(startMs)} + place * interval '1 hour', ${at(startMs)} + (place + 24) * interval '1 hour' FROM placed`);
  await queries.execute(sql`
    INSERT INTO session_periods (session_id, position, name, start_time, end_time)
    SELECT activity_id, n, 'Drill ' || n, start_time, end_time
    FROM sessions, generate_series(0, ${extent.periods - 1}) AS n WHERE squad_id = ${squad}`);
  if (extent.figures > 0) await storeFigures(queries, party, extent);
}

/** Stores time frames of whole sessions, and their figures, which it marks as current. */
async function storeFigures(queries: Queries, { id, device, schemas }: SquadParty, extent: SquadExtent) {
  await queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT sessions.start_time, sessions.end_time - interval '1 ms', '{}', ${device}, activity_id, athlete_id, ${id},
      ${schemas.timeframe_soccer}, sessions.start_time
    FROM sessions JOIN squads ON squads.id = squad_id AND owner_id = ${id},
      LATERAL (SELECT athlete_id FROM squad_members WHERE squad_id = squads.id ORDER BY id LIMIT ${extent.figures}) AS member`);
  const ofSession = sql`timeframes JOIN sessions USING (activity_id) JOIN squads ON squads.id = squad_id AND squads.owner_id = ${id}`;
  await queries.execute(sql`
    INSERT INTO session_timeframes (timeframe_id, session_id, period) SELECT timeframes.id, activity_id, '' FROM ${ofSession}`);
  const { figures, recordedMs, seconds, details } = textsOf(extent.breaks);
  await queries.execute(sql`
    INSERT INTO session_figures
      (session_id, athlete_id, period, inputs, figures, recorded_ms, period_ms, seconds, details, computed_at, rules_version)
    SELECT activity_id, athlete_id, '', ${FIGURES_VERSION}::text || ':' || timeframes.id || '.1.1:',
      ${figures}, ${recordedMs}, ${SESSION_MS}, ${seconds}, ${details}, now(), 1
    FROM ${ofSession}`);
}

/** Returns the stored texts of figures whose data has this number of breaks. */
const textsOf = (breaks: number) =>
  storedTexts({
    figures: Object.fromEntries(SQUAD_COLUMNS.map(({ key }, i) => [key, 1000 * Math.sqrt(i + 2)])),
    cells: Object.fromEntries(FILE_COLUMNS.map(({ key }, i) => [key, Math.sqrt(i + 2)])),
    recordedMs: SESSION_MS / 2,
    hrCoverage: 0.5,
    tooFast: null,
    seconds: Array.from({ length: breaks + 1 }, (_, i) => [1_717_236_000 + 8 * i, 1_717_236_004 + 8 * i]),
    definition: null,
    further: null,
  });
