/** Tests the access of every role in a squad to every operation on squads and their sessions. */
import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { methodsOf } from "../src/http/operation.js";
import { assignments, squadMembers } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { guestOf, SquadScene, tokenOf } from "./squad-scene.js";

/** The former guest has left the squad; the other athlete is in another squad. */
const CALLERS = ["coach", "analyst", "physician", "former guest", "athlete", "another athlete"] as const;

const READERS = "in  in  in  404 in  404";
const EDITORS = "403 in  403 404 403 403";
const OWNER = "  403 403 403 404 403 403";
const HIDDEN = " 404 404 404 404 403 403";
const PEOPLE = " in  in  in  in  in  in";
const MANAGERS = "in  in  in  in  403 403";

/** Results by caller; `in` means that access is granted, so that the response depends only on the request. */
const MATRIX: Record<string, string> = {
  listSquads: PEOPLE,
  createSquad: MANAGERS,
  retrieveSquad: READERS,
  updateSquad: OWNER,
  deleteSquad: OWNER,
  importRoster: OWNER,
  listSquadGrants: OWNER,
  createSquadGrant: OWNER,
  deleteSquadGrant: OWNER,
  listInvitations: MANAGERS,
  acceptInvitation: HIDDEN,
  deleteInvitation: HIDDEN,
  listMembers: PEOPLE,
  createMember: MANAGERS,
  retrieveMember: READERS,
  updateMember: EDITORS,
  deleteMember: OWNER,
  listAssignments: MANAGERS,
  createAssignment: MANAGERS,
  retrieveAssignment: HIDDEN,
  updateAssignment: HIDDEN,
  deleteAssignment: HIDDEN,
  listSquadSessions: PEOPLE,
  listSuggestedSessions: MANAGERS,
  createSquadSession: MANAGERS,
  retrieveSquadSession: READERS,
  updateSquadSession: EDITORS,
  deleteSquadSession: EDITORS,
  retrieveSessionPeriods: READERS,
  replaceSessionPeriods: EDITORS,
  copySessionPeriods: EDITORS,
  retrieveSessionFigures: READERS,
  downloadSessionSamples: OWNER,
  downloadSquadSamples: OWNER,
  streamSquadSamples: OWNER,
  streamSessionSamples: OWNER,
  retrieveSquadSeason: READERS,
};

const ON_SQUADS = /^\/api\/v2\/(squads|members|assignments|sessions|invitations)\//;

let s: TestService;
let tokens: Record<(typeof CALLERS)[number], string>;
let ids: Record<string, number>;

beforeAll(async () => {
  s = await service();
  const [scene, another] = [await SquadScene.of(s), await SquadScene.of(s)];
  const [ann, bob] = [await scene.add("Ann"), await another.add("Bob")];
  const session = await scene.session();
  const { queries } = s.store.database;
  const [member] = await queries
    .select()
    .from(squadMembers)
    .where(and(eq(squadMembers.squadId, scene.squad), eq(squadMembers.athleteId, ann.athlete)));
  const [assignment] = await queries.select().from(assignments).where(eq(assignments.athleteId, ann.athlete));
  const coach = await guestOf(scene, "coach");
  const former = await guestOf(scene, "analyst");
  await scene.send("DELETE", `/api/v2/squads/${scene.squad}/grants/${former.grant}/`);
  tokens = {
    coach: coach.token,
    analyst: (await guestOf(scene, "analyst")).token,
    physician: (await guestOf(scene, "physician")).token,
    "former guest": former.token,
    athlete: await tokenOf(scene, ann),
    "another athlete": await tokenOf(another, bob),
  };
  ids = {
    squad: scene.squad,
    session,
    member: member?.id ?? 0,
    assignment: assignment?.id ?? 0,
    grant: coach.grant,
    invitation: 999_999_999,
  };
});

const outcomeOf = (status: number) => ([401, 403, 404].includes(status) ? String(status) : "in");

describe("the roles in a squad", () => {
  it("cover every operation on squads and sessions", () => {
    const operations = s.service.app.operations.filter(({ path }) => ON_SQUADS.test(path));
    expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(MATRIX).sort());
  });

  it.each(Object.entries(MATRIX))("%s: %s", async (id, line) => {
    const operation = s.service.app.operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`No operation ${id}`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    for (const method of methodsOf(operation)) {
      const found: string[] = [];
      for (const caller of CALLERS) {
        // A caller with access gets an error about the body or the version, so nothing changes.
        const change = method === "GET" ? {} : { json: [], headers: { "If-Match": '"another version"' } };
        const { status } = await s.send(method, path, { token: tokens[caller], ...change });
        found.push(outcomeOf(status));
      }
      expect([method, ...found]).toEqual([method, ...line.trim().split(/ +/)]);
    }
  });
});
