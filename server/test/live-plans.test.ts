/** Tests that a poll for the live data of a squad or a session reads only current rows, however many past rows there are. */
import { sql } from "drizzle-orm";
import pg from "pg";
import { describe, expect } from "vitest";
import type { Context } from "../src/domain/change/context.js";
import type { LiveDevices } from "../src/domain/raw-data/live-devices.js";
import { sessionDevices, squadDevices } from "../src/domain/sessions/live.js";
import { queriesOf } from "../src/store/connection/database.js";
import { assignments, ownerships, permissions, squadMembers } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import type { TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";

const it = withOwnService();

const PLAYERS = ["Keller", "Meier", "Graf"];
/** Number of past rows in each table for each player; a step of a plan may read at most `MOST_ROWS` in total. */
const PAST = 1_000;
const MOST_ROWS = 50;
const HOUR_MS = 3_600_000;

/** Creates a squad whose players have had many devices, permissions and numbers, one after the other. */
async function sceneWithPast(s: TestService): Promise<SquadScene> {
  const scene = await SquadScene.of(s, PLAYERS);
  const { queries } = s.store.database;
  const nowMs = s.clock.now().getTime();
  const past = Array.from({ length: PAST }, (_, i) => ({
    startTime: new Date(nowMs - (i + 2) * HOUR_MS),
    endTime: new Date(nowMs - (i + 1) * HOUR_MS),
  }));
  const manager = { managerId: scene.manager.id };
  for (const { athlete, device } of scene.players) {
    const [athleteId, deviceId] = [athlete, device.id];
    await queries
      .insert(assignments)
      .values(past.map((time) => ({ ...time, ownerId: scene.manager.id, deviceId, athleteId })));
    const permission = { ...manager, athleteId, permission: "READ" } as const;
    await queries
      .insert(permissions)
      .values(past.map(({ startTime, endTime }) => ({ ...permission, startTime, expirationTime: endTime })));
    await queries
      .insert(squadMembers)
      .values(past.map((time) => ({ ...time, squadId: scene.squad, athleteId, params: {} })));
    await queries.insert(ownerships).values(past.map((time) => ({ ...time, ...manager, deviceId })));
  }
  for (const table of [assignments, permissions, squadMembers, ownerships])
    await queries.execute(sql`ANALYZE ${table}`);
  return scene;
}

interface Node {
  "Node Type": string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const rowsRead = (node: Node): number =>
  node["Actual Loops"] * (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0));

/** The service prepares its statements. PostgreSQL plans a prepared statement either for its values or for any values. */
const MODES = ["force_custom_plan", "force_generic_plan"] as const;
type Mode = (typeof MODES)[number];

/** Returns the text of a parameter as PostgreSQL reads it. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.join(",")}}` : String(value);
}

/** Reads the devices of a poll. @returns the steps of the executed plans of its statements */
async function stepsOf(
  s: TestService,
  scene: SquadScene,
  mode: Mode,
  devices: (ctx: Context) => LiveDevices,
) {
  const { pool } = s.store.database;
  const sent: [string, unknown[]][] = [];
  const ctx: Context = {
    ...s.ctx,
    queries: queriesOf(pool, { logQuery: (text, values) => void sent.push([text, values]) }),
    caller: { ...scene.manager, role: "MANAGER", canCreateManagedAthletes: true, scopes: null },
  };
  expect(await devices(ctx)()).toHaveLength(PLAYERS.length);
  const client = await pool.connect();
  const steps: Node[] = [];
  try {
    await client.query(`SET plan_cache_mode = ${mode}`);
    for (const [i, [text, values]] of sent.entries()) {
      const literals = values.map((value) => pg.escapeLiteral(textOf(value)));
      await client.query(`PREPARE of_poll_${i} AS ${text}`);
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE of_poll_${i}${literals.length === 0 ? "" : `(${literals})`}`,
      );
      steps.push(...nodesOf(rows[0]["QUERY PLAN"][0].Plan));
    }
  } finally {
    client.release(true);
  }
  return steps;
}

const tooLarge = (steps: readonly Node[]) =>
  steps
    .filter((step) => rowsRead(step) > MOST_ROWS)
    .map(
      (step) => `${rowsRead(step)} rows: ${step["Index Name"] ?? step["Node Type"]} ${step["Index Cond"]}`,
    );

describe.runIf(process.env.TEST_DATABASE === "postgres").for(MODES)(
  "with %s, the devices of live data",
  (mode) => {
    it("are found for a squad without reading past assignments, members, permissions or ownerships", async ({
      service: s,
    }) => {
      const scene = await sceneWithPast(s);
      const steps = await stepsOf(s, scene, mode, (ctx) => squadDevices(ctx, scene.squad));
      expect(tooLarge(steps)).toEqual([]);
      const conditions = steps.flatMap(({ "Index Name": name, "Index Cond": condition }) =>
        name?.startsWith("assignments_") ? [condition] : [],
      );
      expect(conditions).toEqual([expect.stringContaining("end_time > ")]);
    });

    it("are found for a session without reading past permissions or ownerships", async ({ service: s }) => {
      const scene = await sceneWithPast(s);
      const session = await scene.session();
      const steps = await stepsOf(s, scene, mode, (ctx) => sessionDevices(ctx, session));
      expect(tooLarge(steps)).toEqual([]);
    });
  },
);
