import type { FastifyInstance } from "fastify";
import { AssignmentFilters, listAssignments } from "../../domain/assignments/list.js";
import {
  Assignment,
  AssignmentInput,
  AssignmentPatch,
  assignmentItem,
} from "../../domain/assignments/resource.js";
import { createAssignment, deleteAssignment, updateAssignment } from "../../domain/assignments/write.js";
import { listMembers, MemberFilters } from "../../domain/members/list.js";
import { Member, MemberInput, MemberPatch, memberItem } from "../../domain/members/resource.js";
import { createMember, deleteMember, updateMember } from "../../domain/members/write.js";
import { importRoster } from "../../domain/rosters/import.js";
import { RosterFile, RosterQuery, RosterResult } from "../../domain/rosters/resource.js";
import { listSquads, SquadFilters } from "../../domain/squads/list.js";
import { Squad, SquadInput, squadItem } from "../../domain/squads/resource.js";
import { createSquad, deleteSquad, updateSquad } from "../../domain/squads/write.js";
import { CursorPage } from "../../wire/cursor.js";
import { CSV } from "../body/bodies.js";
import { route } from "../route.js";

/** Members shared by the operations. */
const squads = { tag: "Squads", version: 2 } as const;

const SQUADS = "/api/v2/squads/";
const MEMBERS = "/api/v2/members/";
const ASSIGNMENTS = "/api/v2/assignments/";

export function squadRoutes(app: FastifyInstance): void {
  route(app, {
    ...squads,
    id: "listSquads",
    summary: "List the squads that you can read",
    description: "Returns the oldest first.",
    method: "GET",
    path: SQUADS,
    query: SquadFilters,
    success: { status: 200, schema: CursorPage(Squad) },
    failures: [400],
    handle: ({ ctx, query }) => listSquads(ctx, query),
  });

  route(app, {
    ...squads,
    id: "createSquad",
    summary: "Create a squad",
    method: "POST",
    path: SQUADS,
    body: SquadInput,
    success: {
      status: 201,
      schema: Squad,
      headers: { Location: "The path of the squad" },
      collection: SQUADS,
    },
    failures: [400, 409],
    handle: ({ ctx, body }) => createSquad(ctx, body),
  });

  route(app, {
    ...squads,
    id: "retrieveSquad",
    summary: "Retrieve a squad",
    method: "GET",
    path: `${SQUADS}{squad}/`,
    success: { status: 200, schema: Squad },
    handle: async ({ target }) => squadItem(target),
  });

  route(app, {
    ...squads,
    id: "updateSquad",
    summary: "Rename a squad",
    method: "PATCH",
    path: `${SQUADS}{squad}/`,
    body: SquadInput,
    success: { status: 200, schema: Squad },
    failures: [400],
    handle: ({ ctx, ids, body }) => updateSquad(ctx, ids.squad, body),
  });

  route(app, {
    ...squads,
    id: "deleteSquad",
    summary: "Delete a squad",
    description: "Also deletes its members, but not its athletes. Returns 409 while it has sessions.",
    method: "DELETE",
    path: `${SQUADS}{squad}/`,
    success: { status: 204 },
    failures: [409],
    handle: ({ ctx, ids }) => deleteSquad(ctx, ids.squad),
  });

  route(app, {
    ...squads,
    id: "importRoster",
    summary: "Create members and assignments from a roster",
    description:
      "Reads `roster.csv` of `asi squad`. A player is the athlete with this name, username or external id whom you may read. `number`, `position`, `max_hr`, `high_speed` and `sprint` apply to the member from the time `from`; `serial` assigns devices from the same time, which needs WRITE permission. Empty cells change nothing, and players who are not in the file remain members. Members and assignments that start after `from` are kept and listed in `kept_later`, or changed with `replace_later`. Sending the same file again changes nothing. A response with 400 names each line with a problem, and nothing changes. Returns 409 if more than 2,000 members, or more than 2,000 assignments, of these players start after `from` (`too_many_later`), or if other requests create or delete managed athletes of yours during each attempt (`concurrent_changes`).",
    method: "POST",
    path: `${SQUADS}{squad}/roster/`,
    query: RosterQuery,
    consumes: CSV,
    describedBody: RosterFile,
    success: { status: 200, schema: RosterResult },
    failures: [400, 409],
    isHeavy: true,
    handle: ({ ctx, ids, query, request }) =>
      importRoster(ctx, ids.squad, (request.body as Uint8Array | undefined) ?? new Uint8Array(), query),
  });

  route(app, {
    ...squads,
    id: "listMembers",
    summary: "List the members that you can read",
    description: "Returns the oldest first.",
    method: "GET",
    path: MEMBERS,
    query: MemberFilters,
    success: { status: 200, schema: CursorPage(Member) },
    failures: [400],
    handle: ({ ctx, query }) => listMembers(ctx, query),
  });

  route(app, {
    ...squads,
    id: "createMember",
    summary: "Add an athlete to a squad",
    description:
      "The number, the position and the thresholds are valid from `start_time` to `end_time`. Only the owner of the squad can add athletes: these times determine which days of an athlete the guests of the squad see. Returns 409 if the athlete is already a member during this time, or has 100 memberships in the squad (`quota_exceeded`).",
    method: "POST",
    path: MEMBERS,
    body: MemberInput,
    success: {
      status: 201,
      schema: Member,
      headers: { Location: "The path of the member" },
      collection: MEMBERS,
    },
    failures: [400, 409],
    handle: ({ ctx, body }) => createMember(ctx, body),
  });

  route(app, {
    ...squads,
    id: "retrieveMember",
    summary: "Retrieve a member of a squad",
    method: "GET",
    path: `${MEMBERS}{member}/`,
    success: { status: 200, schema: Member },
    handle: async ({ target }) => memberItem(target.member, target.view),
  });

  route(app, {
    ...squads,
    id: "updateMember",
    summary: "Change a member of a squad",
    description:
      "Changes the sent fields, including for past sessions, or only from the time `from`; the response is then the member that is valid from this time: this one if nothing differs, the next one if it has the same values, otherwise a new one. The owner can change all fields, an analyst all except `start_time` and `end_time`. Returns 409 if the athlete is already a member during this time, or has 100 memberships in the squad (`quota_exceeded`).",
    method: "PATCH",
    path: `${MEMBERS}{member}/`,
    body: MemberPatch,
    success: { status: 200, schema: Member },
    failures: [400, 409],
    handle: ({ ctx, ids, body }) => updateMember(ctx, ids.member, body),
  });

  route(app, {
    ...squads,
    id: "deleteMember",
    summary: "Delete a member of a squad",
    description:
      "Also removes the member from past sessions. To keep the member there, end the membership instead.",
    method: "DELETE",
    path: `${MEMBERS}{member}/`,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteMember(ctx, ids.member),
  });

  route(app, {
    ...squads,
    id: "listAssignments",
    summary: "List your assignments",
    description: "Returns the devices that athletes wear over time, oldest first.",
    method: "GET",
    path: ASSIGNMENTS,
    query: AssignmentFilters,
    success: { status: 200, schema: CursorPage(Assignment) },
    failures: [400],
    handle: ({ ctx, query }) => listAssignments(ctx, query),
  });

  route(app, {
    ...squads,
    id: "createAssignment",
    summary: "Assign a device to an athlete",
    description: "Returns 409 if the device is already assigned during this time.",
    method: "POST",
    path: ASSIGNMENTS,
    body: AssignmentInput,
    success: {
      status: 201,
      schema: Assignment,
      headers: { Location: "The path of the assignment" },
      collection: ASSIGNMENTS,
    },
    failures: [400, 409],
    handle: ({ ctx, body }) => createAssignment(ctx, body),
  });

  route(app, {
    ...squads,
    id: "retrieveAssignment",
    summary: "Retrieve an assignment",
    method: "GET",
    path: `${ASSIGNMENTS}{assignment}/`,
    success: { status: 200, schema: Assignment },
    handle: async ({ target }) => assignmentItem(target),
  });

  route(app, {
    ...squads,
    id: "updateAssignment",
    summary: "Change the time of an assignment",
    method: "PATCH",
    path: `${ASSIGNMENTS}{assignment}/`,
    body: AssignmentPatch,
    success: { status: 200, schema: Assignment },
    failures: [400, 409],
    handle: ({ ctx, ids, body }) => updateAssignment(ctx, ids.assignment, body),
  });

  route(app, {
    ...squads,
    id: "deleteAssignment",
    summary: "Delete an assignment",
    method: "DELETE",
    path: `${ASSIGNMENTS}{assignment}/`,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteAssignment(ctx, ids.assignment),
  });
}
