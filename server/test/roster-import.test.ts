/** Tests rosters, which contain members and assignments in the format of `asi squad`. */
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { accounts, auditLog, idempotencyKeys, squadMembers, squads } from "../src/store/schema.js";
import { problem } from "./problem.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";
import { minute, SquadScene, START } from "./squad-scene.js";
import { grant } from "./team.js";

const OPEN_END = "2999-12-31T23:59:59.000Z";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const load = (scene: SquadScene, csv: string, query = `from=${START}`, headers = {}) =>
  scene.s.send("POST", `/api/v2/squads/${scene.squad}/roster/?${query}`, {
    token: scene.manager.token,
    body: csv,
    headers: { "Content-Type": "text/csv", ...headers },
  });

const rowsOf = async (scene: SquadScene) => ({
  members: (await scene.send("GET", `/api/v2/members/?squad=${scene.squad}`)).body.results,
  assignments: (await scene.send("GET", "/api/v2/assignments/")).body.results,
});

/** Creates an athlete who grants permissions to the manager. */
async function newcomerOf(scene: SquadScene, ...rights: ("READ" | "WRITE")[]): Promise<TestAccount> {
  const athlete = await scene.s.athlete();
  for (const right of rights)
    await grant(scene.s, athlete.id, scene.manager.id, right, "2023-01-01T00:00:00Z", "2099-01-01T00:00:00Z");
  return athlete;
}

/** Does the same for an athlete who has been in another squad of the manager. */
async function athleteOf(scene: SquadScene, ...rights: ("READ" | "WRITE")[]): Promise<TestAccount> {
  const athlete = await newcomerOf(scene, ...rights);
  const [squad] = await s.store.database.queries
    .insert(squads)
    .values({ name: "Youth", ownerId: scene.manager.id, createdAt: new Date() })
    .returning();
  const times = { startTime: new Date("2019-01-01"), endTime: new Date("2019-06-01") };
  await s.store.database.queries
    .insert(squadMembers)
    .values({ squadId: squad?.id ?? 0, athleteId: athlete.id, params: {}, ...times });
  return athlete;
}

const name = (athlete: TestAccount, first: string, last: string) =>
  s.store.database.queries
    .update(accounts)
    .set({ firstName: first, lastName: last })
    .where(eq(accounts.id, athlete.id));

/** Creates a roster with two athletes, one by name and one by username, and a device for each. */
async function team() {
  const scene = await SquadScene.of(s);
  const [bea, cleo] = [await athleteOf(scene, "READ", "WRITE"), await athleteOf(scene, "READ", "WRITE")];
  await name(bea, "Bea", "Birch");
  const [one, two] = [await scene.device(), await scene.device()];
  const csv = (numbers = [10, 1]) =>
    [
      "player,number,position,serial,max_hr,high_speed (m/s),sprint (m/s)",
      `bea  BIRCH,${numbers[0]},MF,${one.serial_number.toLowerCase()},191,5,7`,
      `${cleo.username},${numbers[1]},GK,${two.serial_number},,,`,
    ].join("\n");
  return { scene, bea, cleo, one, two, csv };
}

/** Returns the expected response to an import. */
const outcome = (created: number[], changed: number[], unchanged: number) => ({
  created: { athletes: created[0], members: created[1], assignments: created[2] },
  changed: { members: changed[0], assignments: changed[1] },
  unchanged,
  kept_later: [],
});

describe("a roster", () => {
  it("creates members with their thresholds, and assignments, from a given time", async () => {
    const { scene, bea, cleo, one, two, csv } = await team();
    const { status, body } = await load(scene, csv());
    expect([status, body]).toEqual([200, outcome([0, 2, 2], [0, 0], 0)]);
    const times = { start_time: START, end_time: OPEN_END };
    const { members, assignments } = await rowsOf(scene);
    expect(members).toMatchObject([
      {
        athlete: bea.id,
        number: 10,
        position: "MF",
        params: { max_hr: 191, sprint_threshold: 7, hid_thresholds: [4, 5] },
        ...times,
      },
      { athlete: cleo.id, number: 1, position: "GK", params: {}, ...times },
    ]);
    expect(assignments).toMatchObject([
      { device: one.id, athlete: bea.id, ...times },
      { device: two.id, athlete: cleo.id, ...times },
    ]);
    const audited = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(eq(auditLog.operation, "importRoster"));
    const ofSquad = audited.filter(({ accountId }) => accountId === scene.manager.id);
    expect(ofSquad.map(({ entity }) => entity).sort()).toEqual([
      "assignment",
      "assignment",
      "squad member",
      "squad member",
    ]);
  });

  it("changes nothing when it is imported again, even later", async () => {
    const { scene, csv } = await team();
    await load(scene, csv());
    const before = await rowsOf(scene);
    for (const query of [`from=${START}`, `from=${minute(60)}`, ""])
      expect((await load(scene, csv(), query)).body).toEqual(outcome([0, 0, 0], [0, 0], 4));
    expect(await rowsOf(scene)).toEqual(before);
  });

  it("ends a membership and an assignment whose values change; empty cells change nothing", async () => {
    const { scene, bea, cleo, one, csv } = await team();
    await load(scene, csv());
    const later = `player,number,serial\nBea Birch,11,\n${cleo.username},,${one.serial_number}`;
    const { body } = await load(scene, later, `from=${minute(60)}`);
    expect(body).toEqual(outcome([0, 1, 1], [0, 0], 1));
    const { members, assignments } = await rowsOf(scene);
    const ofBea = members.filter(({ athlete }: { athlete: number }) => athlete === bea.id);
    expect(ofBea).toMatchObject([
      { number: 10, start_time: START, end_time: minute(60) },
      { number: 11, position: "MF", params: { max_hr: 191 }, start_time: minute(60), end_time: OPEN_END },
    ]);
    const ofOne = assignments.filter(({ device }: { device: number }) => device === one.id);
    expect(ofOne).toMatchObject([
      { athlete: bea.id, start_time: START, end_time: minute(60) },
      { athlete: cleo.id, start_time: minute(60), end_time: OPEN_END },
    ]);
  });

  it("replaces values that began at the same time", async () => {
    const { scene, csv } = await team();
    await load(scene, csv());
    expect((await load(scene, csv([12, 1]))).body).toEqual(outcome([0, 0, 0], [1, 0], 3));
    expect((await rowsOf(scene)).members.map(({ number }: { number: number }) => number)).toEqual([12, 1]);
  });

  it("ends at the start of later memberships and assignments if its time is earlier", async () => {
    const { scene, csv } = await team();
    await load(scene, csv(), `from=${minute(60)}`);
    await load(scene, csv([12, 1]));
    const { members, assignments } = await rowsOf(scene);
    const times = ({ start_time, end_time }: { start_time: string; end_time: string }) => [
      start_time,
      end_time,
    ];
    const expected = [
      [minute(60), OPEN_END],
      [minute(60), OPEN_END],
      [START, minute(60)],
      [START, minute(60)],
    ];
    expect([members.map(times), assignments.map(times)]).toEqual([expected, expected]);
  });

  it("is erased from the stored responses with each person whom a kept row names", async () => {
    for (const named of ["bea", "cleo"] as const) {
      const { scene, one, csv, ...people } = await team();
      await load(scene, csv(), `from=${minute(-600)}`);
      await load(scene, `player,serial\n${people.cleo.username},${one.serial_number}`, `from=${minute(60)}`);
      const key = `roster-${scene.squad}`;
      const roster = `player,serial\nBea Birch,${one.serial_number}\n`;
      const { body } = await load(scene, roster, `from=${START}`, { "Idempotency-Key": key });
      expect(body.kept_later).toMatchObject([
        { athlete: people.bea.id, worn_by: { athlete: people.cleo.id } },
      ]);
      const stored = () => s.store.database.queries.$count(idempotencyKeys, eq(idempotencyKeys.key, key));
      const before = await stored();
      await commands["athlete erase"](s.ctx, { id: String(people[named].id), yes: true });
      expect([before, await stored()]).toEqual([1, 0]);
    }
  });

  it("lists later values that it keeps, and replaces them with replace_later", async () => {
    const { scene, bea, cleo, one, csv } = await team();
    await load(scene, csv(), `from=${minute(-600)}`);
    // on the day of the roster, but after its time: another number, another threshold, and the wrong wearer
    const changed = `player,number,serial,sprint (m/s)\nBea Birch,17,,8\n${cleo.username},,${one.serial_number},`;
    await load(scene, changed, `from=${minute(60)}`);
    const roster = `player,number,serial,sprint (m/s)\nBea Birch,10,${one.serial_number},6.5\n`;
    const { body } = await load(scene, roster);
    expect(body).toEqual({
      ...outcome([0, 1, 0], [0, 0], 1),
      kept_later: [
        {
          ...{ line: 2, player: "Bea Birch", athlete: bea.id, from: minute(60), serial_number: null },
          ...{ number: 17, params: { sprint_threshold: 8 } },
        },
        {
          ...{ line: 2, player: "Bea Birch", athlete: bea.id, from: minute(60) },
          ...{ serial_number: one.serial_number, worn_by: { athlete: cleo.id } },
        },
      ],
    });
    const again = await load(scene, roster, `from=${START}&replace_later=true`);
    expect(again.body).toEqual(outcome([0, 0, 0], [1, 1], 2));
    const { members, assignments } = await rowsOf(scene);
    const valid = (row: { end_time: string }) => row.end_time === OPEN_END;
    expect(members.filter(valid).find((row: { athlete: number }) => row.athlete === bea.id)).toMatchObject({
      number: 10,
      position: "MF",
      params: { sprint_threshold: 6.5, max_hr: 191 },
    });
    expect(assignments.filter(valid).find((row: { device: number }) => row.device === one.id).athlete).toBe(
      bea.id,
    );
    expect((await load(scene, roster)).body).toEqual(outcome([0, 0, 0], [0, 0], 2));
  });

  it.each(["members", "assignments"] as const)(
    "is refused at once if thousands of %s start later, and accepted if fewer do",
    async (kind) => {
      const { scene, bea, cleo, one } = await team();
      const { queries } = s.store.database;
      // An hour each, from an hour after the roster on.
      const times = (count: number) => sql`
        SELECT ${START}::timestamptz + n * interval '1 h', ${START}::timestamptz + (n + 1) * interval '1 h'
        FROM generate_series(1, ${count}::integer) AS n`;
      const insert = (count: number) =>
        kind === "members"
          ? sql`INSERT INTO squad_members (squad_id, athlete_id, params, start_time, end_time)
              SELECT ${scene.squad}::bigint, ${bea.id}::bigint, '{}'::jsonb, * FROM (${times(count)}) AS times`
          : sql`INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
              SELECT ${scene.manager.id}::bigint, ${one.id}::bigint, ${cleo.id}::bigint, * FROM (${times(count)}) AS times`;
      await queries.execute(insert(2_001));
      const roster = `player,number,serial\nBea Birch,10,${kind === "members" ? "" : one.serial_number}\n`;
      for (const replaces of [true, false]) {
        const { status, body } = await load(scene, roster, `from=${START}&replace_later=${replaces}`);
        expect([status, body.code, body.detail]).toEqual([
          409,
          "too_many_later",
          expect.stringContaining(`More than 2000 ${kind} of these players start after ${START}.`),
        ]);
      }
      // The first one does not start later than this roster.
      const { status, body } = await load(scene, roster, `from=${minute(60)}&replace_later=true`);
      expect([status, body.changed[kind]]).toEqual([200, 2_001]);
    },
  );

  it("determines the players and devices of a session at that time", async () => {
    const { scene, bea, cleo, one, two, csv } = await team();
    const session = await scene.session();
    expect(await scene.frames(session)).toEqual([]);
    await load(scene, csv());
    await s.runJobs();
    expect((await scene.frames(session)).map(({ athlete, device }) => [athlete, device]).sort()).toEqual(
      [
        [bea.id, one.id],
        [cleo.id, two.id],
      ].sort(),
    );
  });

  it("reports every line with a problem and its remedy, and then creates nothing", async () => {
    const { scene, bea, one } = await team();
    const foreign = await (await SquadScene.of(s)).device();
    const reader = await athleteOf(scene, "READ");
    const unread = await s.athlete();
    const refused = await load(
      scene,
      [
        "player,number,serial,max_hr",
        `Bea Birch,ten,${one.serial_number},191`,
        `${bea.username},,,`,
        "Nobody Here,5,,",
        `${unread.username},5,,`,
        `${reader.username},5,${foreign.serial_number},20`,
      ].join("\n"),
    );
    expect(problem(refused)).toEqual([400, "invalid"]);
    const errors: { field: string; detail: string }[] = refused.body.errors;
    const details = (line: number) =>
      errors
        .filter(({ field }) => field === `line ${line}`)
        .map(({ detail }) => detail)
        .join(" ");
    expect(details(2)).toContain("whole number");
    expect(details(3)).toContain("same athlete as Bea Birch in line 2");
    // The response is the same for an unknown athlete and for an athlete of strangers.
    expect(details(5)).toBe(details(4).replace("Nobody Here", unread.username));
    expect(details(4)).toContain("create=true");
    expect(details(6)).toContain("You may not assign devices to");
    expect(details(6)).toContain(`no device with the serial number ${foreign.serial_number}`);
    expect(details(6)).toContain("max_hr");
    expect(await rowsOf(scene)).toEqual({ members: [], assignments: [] });
    expect(problem(await load(scene, ""))).toEqual([400, "invalid"]);
  });

  it("refuses thresholds beyond their limits, and too many players", async () => {
    const { scene, bea } = await team();
    const rows = [
      [
        `player,serial,high_speed (km/h)\n${bea.username},,109\n`,
        "line 2: high_speed must be from 0.1 to 30 m/s (108 km/h); faster samples do not count.",
      ],
      [
        `player,serial,sprint (m/s)\n${bea.username},,0.01\n`,
        'line 2: sprint is "0.01"; it must be from 0.5 to 100 m/s, 1.8 to 360 km/h.',
      ],
      [
        `player,serial\n${Array.from({ length: 201 }, (_, n) => `P${n},`).join("\n")}\n`,
        "line 202: A file has at most 200 players. Use several files.",
      ],
    ] as const;
    for (const [csv, error] of rows) {
      const { status, body } = await load(scene, csv, "create=true");
      const errors = body.errors.map(
        (one: { field: string; detail: string }) => `${one.field}: ${one.detail}`,
      );
      expect([status, errors]).toEqual([400, [error]]);
    }
  });

  it("is refused with the line that exceeds 1,000 serial numbers", async () => {
    const { scene, bea, cleo, one } = await team();
    const file = (count: number) =>
      `player,serial,number\n${bea.username},${"X ".repeat(count)}\n${cleo.username},${one.serial_number},ten\n`;
    const errors = async (count: number) =>
      (await load(scene, file(count))).body.errors.map(
        ({ field, detail }: { field: string; detail: string }) => `${field}: ${detail}`,
      );
    const number = 'line 3: number is "ten"; it must be a whole number from 0 to 999.';
    const most = await errors(999);
    expect([most[0], most.at(-1)]).toEqual([
      expect.stringContaining("line 2: You have no device with the serial number X"),
      number,
    ]);
    expect(await errors(1000)).toEqual([
      "line 3: A file has at most 1,000 serial numbers. Use several files.",
      number,
    ]);
  });

  it("is refused if two athletes have the same name, until the name includes the id", async () => {
    const scene = await SquadScene.of(s);
    const two = [await athleteOf(scene, "READ"), await athleteOf(scene, "READ")];
    for (const athlete of two) await name(athlete, "Bea", "Birch");
    const { status, body } = await load(scene, "player,serial\nBea Birch,\n");
    const written = `Bea Birch (${two[0]?.id})`;
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining(written)]);
    const other = await load(scene, `player,serial\n${written},\n`);
    expect([other.status, other.body]).toEqual([200, outcome([0, 1, 0], [0, 0], 0)]);
    const [, second] = two;
    if (second === undefined) throw new Error("No second athlete");
    await name(second, "Bea", `Birch (${two[0]?.id})`);
    const doubtful = await load(scene, `player,serial\n${written},\n`);
    expect(doubtful.body.errors[0].detail).toContain(`Write "${written} (${second.id})"`);
  });

  it("does not mistake a stranger with the name of a player for that player", async () => {
    const scene = await SquadScene.of(s);
    const stranger = await newcomerOf(scene, "READ", "WRITE");
    await name(stranger, "Bea", "Bell");
    const refused = "has never been in one of your squads";
    for (const query of [`from=${START}`, `from=${START}&create=true`]) {
      const { status, body } = await load(scene, "player,serial\nBea Bell,", query);
      expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining(refused)]);
    }
    const byUsername = await load(scene, `player,serial\n${stranger.username},`);
    expect(byUsername.body.errors[0].detail).toContain(refused);
    // The name means the known one of two athletes with the same name.
    const bea = await scene.add("Bea Bell");
    expect((await load(scene, "player,number,serial\nBea Bell,5,")).status).toBe(200);
    const { members } = await rowsOf(scene);
    expect(members.map(({ athlete }: { athlete: number }) => athlete)).not.toContain(stranger.id);
    expect(members.at(-1)).toMatchObject({ athlete: bea.athlete, number: 5 });
    // This line names the stranger by id.
    expect((await load(scene, `player,serial\nBea Bell (${stranger.id}),`)).status).toBe(200);
  });

  it("creates managed athletes once, on request, if the manager has the right", async () => {
    const csv = "player,serial,birth_date,mass\nBea van der Birch,,1998-04-23,62.5\nPele,,,\n";
    const scene = await SquadScene.of(s);
    expect(problem(await load(scene, csv))).toEqual([400, "invalid"]);
    const made = await load(scene, csv, "create=true");
    expect([made.status, made.body]).toEqual([200, outcome([2, 2, 0], [0, 0], 0)]);
    const again = await load(scene, csv, "create=true");
    expect(again.body).toEqual(outcome([0, 0, 0], [0, 0], 2));
    const { members } = await rowsOf(scene);
    const { athlete_profile: profile, managed_by } = (
      await s.get(`/api/v1/athletes/${members[0].athlete}/`, scene.manager.token)
    ).body;
    expect({ ...profile, managed_by }).toMatchObject({
      first_name: "Bea van der",
      last_name: "Birch",
      birth_date: "1998-04-23",
      weight: 62.5,
      managed_by: scene.manager.id,
    });
    const manager = await s.manager();
    const squad = (await s.post("/api/v2/squads/", { name: "Second team" }, manager.token)).body.id;
    const refused = await s.send("POST", `/api/v2/squads/${squad}/roster/?create=true`, {
      token: manager.token,
      body: csv,
      headers: { "Content-Type": "text/csv" },
    });
    expect(problem(refused)).toEqual([400, "invalid"]);
    expect(refused.body.errors[0].detail).toContain("ask the operator");
  });

  it("is imported once by concurrent requests and by requests with the same key", async () => {
    const { scene, csv } = await team();
    const key = { "Idempotency-Key": "once" };
    const answers = await Promise.all([
      load(scene, csv()),
      load(scene, csv()),
      load(scene, csv(), `from=${START}`, key),
      load(scene, csv(), `from=${START}`, key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[3]?.body).toEqual(answers[2]?.body);
    const { members, assignments } = await rowsOf(scene);
    expect([members.length, assignments.length]).toEqual([2, 2]);
  });

  it("creates each athlete once if two imports run at the same time", async () => {
    const other = await startService({ grantManagedAthletes: true });
    const scene = await SquadScene.of(other);
    const csv = "player,serial\nBea,\nCleo,\n";
    const answers = await Promise.all([load(scene, csv, "create=true"), load(scene, csv, "create=true")]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ body }) => body.created.athletes).sort()).toEqual([0, 2]);
  });

  it("changes nothing if it exceeds a quota", async () => {
    const small = await startService({ quotaMembers: 1, grantManagedAthletes: true });
    const scene = await SquadScene.of(small);
    const refused = await load(scene, "player,serial\nBea,\nCleo,\n", "create=true");
    expect(problem(refused)).toEqual([409, "quota_exceeded"]);
    expect((await rowsOf(scene)).members).toEqual([]);
    const athletes = await small.get("/api/v1/athletes/?search=Cleo", scene.manager.token);
    expect(athletes.body.results).toEqual([]);
  });

  it("must be a CSV file, and is imported only into the caller's own squad", async () => {
    const { scene, csv } = await team();
    const { token } = await s.manager();
    const path = `/api/v2/squads/${scene.squad}/roster/`;
    const send = (to: string) =>
      s.send("POST", to, { token, body: csv(), headers: { "Content-Type": "text/csv" } });
    expect(problem(await send(path))).toEqual([404, "not_found"]);
    expect(problem(await scene.send("POST", path, {}))).toEqual([415, "unsupported_media_type"]);
    expect(problem(await send("/api/v2/squads/"))).toEqual([415, "unsupported_media_type"]);
  });
});
