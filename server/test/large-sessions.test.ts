/** A session whose periods and assignments have 201,000 combinations, which would be as many time frames. */
import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { deriveSessions } from "../src/domain/sessions/derive-rest.js";
import { selectSessions, toSession } from "../src/domain/sessions/rules.js";
import { planOf } from "../src/domain/sessions/wanted-timeframes.js";
import { assignments, sessionPeriods, sessions } from "../src/store/schema.js";
import { processorTimeOf } from "./processor-time.js";
import { service, type TestService } from "./service.js";
import { minute, SquadScene, START, type TestPlayer } from "./squad-scene.js";

let s: TestService;
let scene: SquadScene;
let session: number;

beforeAll(async () => {
  s = await service();
  scene = await SquadScene.of(s, ["Ann"]);
  session = await scene.session({ end_time: minute(24 * 60) });
  const [ann] = scene.players as [TestPlayer];
  const { queries } = s.store.database;
  await queries.delete(assignments).where(eq(assignments.athleteId, ann.athlete));
  await queries.execute(sql`
    INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
    SELECT ${scene.manager.id}::bigint, ${ann.device.id}::bigint, ${ann.athlete}::bigint,
      ${START}::timestamptz + interval '1 hour' + n * interval '5 s', ${START}::timestamptz + interval '1 hour' + (n + 1) * interval '5 s'
    FROM generate_series(0, 999) AS n`);
  await queries.insert(sessionPeriods).values(
    Array.from({ length: 200 }, (_, position) => ({
      sessionId: session,
      position,
      name: `Drill ${position}`,
      startTime: new Date(START),
      endTime: new Date(minute(24 * 60)),
    })),
  );
});

/** Maximum processor time, ms. A plan of all time frames takes 100, and a comparison of all of them 500 more. */
const MOST_MS = { derivation: 300, plan: 60 };

it("a derivation that a limit prevents stops at the limit, and deletes without a plan of everything", async () => {
  const times = { fromMs: Date.parse(START), toMs: Date.parse(minute(60)) };
  const queued = { ownerId: scene.manager.id, sessionId: session, ...times };
  const { ms, result } = await processorTimeOf(() =>
    deriveSessions(s.ctx, queued, { isOver: false } as never),
  );
  expect(result.refused).toEqual([session]);
  expect(await scene.frames(session)).toEqual([]);
  expect(ms).toBeLessThan(MOST_MS.derivation);
});

it("the table needs no time frames of the plan", async () => {
  const { queries } = s.store.database;
  const [row] = await selectSessions(queries).where(eq(sessions.activityId, session));
  if (row === undefined) throw new Error("No session");
  const { ms, result } = await processorTimeOf(() => planOf(queries, toSession(row), []));
  expect(result.leftOut).toEqual([]);
  expect(ms).toBeLessThan(MOST_MS.plan);
});
