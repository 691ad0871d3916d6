/**
 * Asks random questions as callers connected with two squads. Nobody learns a name, an id or a figure of the other squad, or any
 * heart data without the role for it: each answer is compared with the API's response to the same caller, and searched for data
 * that only others may see.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isHeartKey } from "../src/domain/squad-roles/heart.js";
import { service, type TestService } from "./service.js";
import { type GuestRole, guestOf, minute, SquadScene, tokenOf } from "./squad-scene.js";

const ROLES = ["coach", "analyst", "physician"] as const satisfies readonly GuestRole[];
const CALLS = 70;
const SEED = 20_261_128;

/** A squad with a session, and with texts and speeds that occur nowhere else. */
interface Club {
  scene: SquadScene;
  session: number;
  /** Another session, without samples. */
  second: number;
  /** Names, notes and serial numbers. */
  texts: string[];
  /** All figures of its players with at least five digits. */
  numbers: Set<string>;
}

interface Caller {
  name: string;
  token: string;
  /** The club whose squad the caller belongs to; null for a stranger. */
  club: Club | null;
  other: Club[];
  seesHeart: boolean;
  /** The athlete whose rows alone the caller sees; null for all rows. */
  athlete: number | null;
}

let s: TestService;
let clubs: [Club, Club];
let callers: Caller[];

/** Returns all numbers with at least five digits in the JSON text of a value. */
const numbersIn = (value: unknown): Set<string> =>
  new Set(JSON.stringify(value).match(/(?<![\w.:-])\d+\.\d{2,}(?![\w:-])/g) ?? []);

async function club(name: string, speed: number): Promise<Club> {
  const scene = await SquadScene.of(s);
  await scene.send("PATCH", `/api/v2/squads/${scene.squad}/`, { name: `${name} team` });
  const players = [
    await scene.add(`${name} Ann`, { max_hr: 190 + (speed % 7) }),
    await scene.add(`${name} Bea`),
  ];
  const session = await scene.session({
    name: `${name} round`,
    notes: `${name} secret`,
    place: `${name} park`,
  });
  for (const [i, { device }] of players.entries())
    await scene.run(device, 0, 1, speed + 317 * i, 140 + (speed % 11) + i);
  await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, [
    { name: `${name} half`, start_time: minute(0), end_time: minute(1), athlete: null },
  ]);
  const second = await scene.session({
    name: `${name} rest`,
    start_time: minute(120),
    end_time: minute(180),
  });
  const { body } = await scene.figures(session);
  const figures = body.rows.map((row: { figures: object }) => row.figures);
  return {
    scene,
    session,
    second,
    texts: [name, ...players.map(({ device }) => device.serial_number)],
    numbers: numbersIn(figures),
  };
}

async function callersOf(own: Club, other: Club): Promise<Caller[]> {
  const caller = (name: string, token: string, rights: Partial<Caller> = {}): Caller => ({
    ...{ name, token, club: own, other: [other] },
    ...{ seesHeart: true, athlete: null, ...rights },
  });
  const [first] = own.scene.players;
  if (first === undefined) throw new Error("No player");
  return [
    caller("owner", own.scene.manager.token),
    ...(await Promise.all(
      ROLES.map(async (role) =>
        caller(role, (await guestOf(own.scene, role)).token, { seesHeart: role === "physician" }),
      ),
    )),
    caller("athlete", await tokenOf(own.scene, first), { athlete: first.athlete }),
  ];
}

beforeAll(async () => {
  s = await service();
  clubs = [await club("Quelle", 3011), await club("Zinnober", 4523)];
  const stranger = (await s.manager()).token;
  callers = [
    ...(await callersOf(clubs[0], clubs[1])),
    ...(await callersOf(clubs[1], clubs[0])),
    {
      ...{ name: "stranger", token: stranger },
      ...{ club: null, other: clubs, seesHeart: false, athlete: null },
    },
  ];
});

/** Calls a tool without a client library; mcp.test.ts uses the client of the SDK. */
async function ask(token: string, name: string, given: Record<string, unknown>) {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
  const { status, body } = await s.post("/mcp", call, token);
  if (status !== 200) throw new Error(`No answer: ${status} ${JSON.stringify(body)}`);
  const { content, structuredContent, isError = false } = body.result;
  const text: string = content[0].text;
  const answer = JSON.parse(text);
  if (!isError) expect(structuredContent).toEqual(answer);
  return { isError: isError as boolean, text, answer };
}

/** Returns a question for each tool that returns data to an owner. */
function answeredQuestions({ scene, session, second }: Club): [string, Record<string, unknown>][] {
  const [ann, bea] = scene.players;
  const players = [ann?.name, bea?.name];
  const times = { device: ann?.device.id, from: minute(0), to: minute(1) };
  return [
    ["list_squads", {}],
    ["list_sessions", { squad: scene.squad }],
    ["session_figures", { session }],
    ["squad_season", { squad: scene.squad, player: ann?.name }],
    ["compare_players", { session, players }],
    ["compare_sessions", { player: ann?.name, sessions: [session, second] }],
    ["list_devices", {}],
    ["device_ranges", times],
    ["device_samples", times],
  ];
}

/** Generates questions with arguments from the ids and names of both clubs. */
const questions = () => {
  const of = <T>(read: (one: Club) => readonly T[]) => fc.constantFrom(...clubs.flatMap(read));
  const session = of((one) => [one.session, one.second]);
  const squad = of(({ scene }) => [scene.squad]);
  const device = of(({ scene }) => scene.players.map((player) => player.device.id));
  const player = of(({ scene }) => scene.players.flatMap(({ name, athlete }) => [name, String(athlete)]));
  const period = fc.constantFrom("session", "Quelle half", "Zinnober half");
  const times = { from: fc.constant(minute(0)), to: fc.constant(minute(1)) };
  const some = { requiredKeys: [] as never[] };
  const question = <T extends object>(name: string, given: fc.Arbitrary<T>) =>
    given.map((one): [string, Record<string, unknown>] => [name, { ...one } as Record<string, unknown>]);
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  return fc.oneof(
    question("list_squads", fc.record({}, some)),
    question("list_sessions", fc.record({ squad: optional(squad) })),
    question(
      "session_figures",
      fc.record({
        session,
        period: optional(period),
        players: optional(fc.array(player, { minLength: 1, maxLength: 3 })),
      }),
    ),
    question("squad_season", fc.record({ squad, player: optional(player) })),
    question(
      "compare_players",
      fc.record({
        session,
        players: fc.array(player, { minLength: 2, maxLength: 3 }),
        period: optional(period),
      }),
    ),
    question(
      "compare_sessions",
      fc.record({ player, sessions: fc.uniqueArray(session, { minLength: 2, maxLength: 4 }) }),
    ),
    question("list_devices", fc.record({}, some)),
    question("device_ranges", fc.record({ device, ...times })),
    question("device_samples", fc.record({ device, ...times })),
  );
};

/** Returns the values of members that contain ids, by name. */
function idsIn(value: unknown, found: Record<string, Set<number>> = {}): Record<string, Set<number>> {
  if (Array.isArray(value)) for (const item of value) idsIn(item, found);
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (/^(athlete|squad|session|device)$/.test(key) && typeof member === "number") {
        found[key] ??= new Set();
        found[key].add(member);
      }
      idsIn(member, found);
    }
  }
  return found;
}

/** Returns all keys of the figures and thresholds in an answer. */
function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysIn(member)]);
}

/** Returns the names of the figures in the lists of an answer. */
const figureNames = (answer: { definitions?: { name: string }[]; figures?: { name: string }[] }) =>
  [...(answer.definitions ?? []), ...(answer.figures ?? [])].map(({ name }) => name);

/** Returns the path of the API request for the same data; null if there is none. */
function pathOf(tool: string, given: Record<string, unknown>): string | null {
  if (tool === "session_figures" || tool === "compare_players")
    return `/api/v2/sessions/${given.session}/figures/`;
  if (tool === "squad_season") return `/api/v2/squads/${given.squad}/season/`;
  if (tool === "device_ranges" || tool === "device_samples")
    return `/api/v1/devices/${given.device}/preprocessed-data-ranges/?start=${given.from}&stop=${given.to}`;
  if (tool === "list_devices") return "/api/v1/devices/";
  return null;
}

async function check(caller: Caller, tool: string, given: Record<string, unknown>): Promise<string> {
  const { isError, text, answer } = await ask(caller.token, tool, given);
  const about = `${caller.name}: ${tool} ${JSON.stringify(given)}: ${text.slice(0, 300)}`;
  // An error may repeat the question.
  const asked = JSON.stringify(given);
  for (const { texts, numbers, scene, session, second } of caller.other) {
    for (const secret of texts)
      if (!asked.includes(secret)) expect(text.includes(secret), `${secret} in ${about}`).toBe(false);
    if (!isError) {
      for (const secret of texts) expect(text.includes(secret), `${secret} in ${about}`).toBe(false);
      const ids = idsIn(answer);
      for (const { athlete, device } of scene.players) {
        expect(ids.athlete?.has(athlete) ?? false, about).toBe(false);
        expect(ids.device?.has(device.id) ?? false, about).toBe(false);
      }
      expect(ids.squad?.has(scene.squad) ?? false, about).toBe(false);
      for (const one of [session, second]) expect(ids.session?.has(one) ?? false, about).toBe(false);
    }
    const own = caller.club?.numbers ?? new Set();
    const leaked = [...numbersIn(answer)].filter((number) => numbers.has(number) && !own.has(number));
    expect(leaked, about).toEqual([]);
  }
  if (caller.athlete !== null) {
    const others = (caller.club?.scene.players ?? []).filter(({ athlete }) => athlete !== caller.athlete);
    for (const { athlete, name } of others) {
      expect(idsIn(answer).athlete?.has(athlete) ?? false, about).toBe(false);
      if (!asked.includes(name)) expect(text.includes(name), about).toBe(false);
    }
  }
  if (!caller.seesHeart)
    expect([...keysIn(answer), ...figureNames(answer)].filter(isHeartKey), about).toEqual([]);
  const path = pathOf(tool, given);
  if (path !== null) {
    const { status } = await s.get(path, caller.token);
    if (status !== 200) expect(isError, about).toBe(true);
    else if (isError) expect(answer.error.code, about).toBe("unknown_name");
  }
  return `${caller.club === null ? "stranger" : caller.name} ${tool} ${isError ? answer.error.code : "answered"}`;
}

describe("requests about two squads", () => {
  it("return no data of the other squad, and no heart data without the role", async () => {
    const asked = fc.sample(fc.tuple(fc.constantFrom(...callers), questions()), {
      numRuns: CALLS,
      seed: SEED,
    });
    const outcomes = new Set<string>();
    for (const [caller, [tool, given]] of asked) outcomes.add(await check(caller, tool, given));
    // Most questions must return data.
    expect([...outcomes].some((one) => one.endsWith("not_found"))).toBe(true);
    expect([...outcomes].some((one) => one.endsWith("unknown_name"))).toBe(true);
    expect([...outcomes].some((one) => one.endsWith("permission_denied"))).toBe(true);
  });

  it("return data from every tool to the owner of each squad", async () => {
    for (const caller of callers.filter(({ name }) => name === "owner")) {
      if (caller.club === null) continue;
      for (const [tool, given] of answeredQuestions(caller.club))
        expect(await check(caller, tool, given)).toBe(`owner ${tool} answered`);
    }
  });

  it("return the same data as the API to every role", async () => {
    for (const { club: own, token, name } of callers) {
      if (own === null) continue;
      const { answer } = await ask(token, "session_figures", { session: own.session });
      const { body } = await s.get(`/api/v2/sessions/${own.session}/figures/`, token);
      const figures = (rows: { athlete: number; figures: object }[]) =>
        rows.map((row) => [row.athlete, row.figures]);
      expect([name, figures(answer.rows)]).toEqual([name, figures(body.rows)]);
      expect(answer.left_out).toEqual(body.left_out);
      const parameters = body.rows.map(
        (row: { definition: { parameters: object } }) => row.definition.parameters,
      );
      for (const one of answer.parameters) expect(parameters).toContainEqual(one);
    }
  });
});
