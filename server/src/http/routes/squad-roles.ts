import type { FastifyInstance } from "fastify";
import { GrantFilters, listGrants, listInvitations } from "../../domain/squad-roles/list.js";
import { Grant, GrantInput, Invitation } from "../../domain/squad-roles/resource.js";
import {
  acceptInvitation,
  createGrant,
  deleteGrant,
  deleteInvitation,
} from "../../domain/squad-roles/write.js";
import { CursorPage } from "../../wire/cursor.js";
import { route } from "../route.js";

/** Members shared by the operations. */
const roles = { tag: "Roles", version: 2 } as const;

const GRANTS = "/api/v2/squads/{squad}/grants/";
const INVITATIONS = "/api/v2/invitations/";

export function squadRoleRoutes(app: FastifyInstance): void {
  route(app, {
    ...roles,
    id: "listSquadGrants",
    summary: "List the managers whom you have invited to a squad",
    description: "Returns the oldest first.",
    method: "GET",
    path: GRANTS,
    query: GrantFilters,
    success: { status: 200, schema: CursorPage(Grant) },
    failures: [400],
    handle: ({ ctx, ids, query }) => listGrants(ctx, ids.squad, query),
  });

  route(app, {
    ...roles,
    id: "createSquadGrant",
    summary: "Invite a manager to a squad",
    description:
      "Specify the exact username; the response is the same if there is no such manager. To change a role, invite again: accepting replaces the earlier role.",
    method: "POST",
    path: GRANTS,
    body: GrantInput,
    success: { status: 201, schema: Grant },
    failures: [400, 409],
    handle: ({ ctx, ids, body }) => createGrant(ctx, ids.squad, body),
  });

  route(app, {
    ...roles,
    id: "deleteSquadGrant",
    summary: "End the role of a manager in a squad",
    description: "Also ends open invitations. Takes effect immediately.",
    method: "DELETE",
    path: `${GRANTS}{grant}/`,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteGrant(ctx, ids.squad, ids.grant),
  });

  route(app, {
    ...roles,
    id: "listInvitations",
    summary: "List the squads to which you are invited",
    description: "Returns open and accepted invitations, oldest first.",
    method: "GET",
    path: INVITATIONS,
    query: GrantFilters,
    success: { status: 200, schema: CursorPage(Invitation) },
    failures: [400],
    handle: ({ ctx, query }) => listInvitations(ctx, query),
  });

  route(app, {
    ...roles,
    id: "acceptInvitation",
    summary: "Accept an invitation to a squad",
    description: "It replaces your earlier role in the squad.",
    method: "POST",
    path: `${INVITATIONS}{invitation}/accept/`,
    success: { status: 200, schema: Invitation },
    handle: ({ ctx, ids }) => acceptInvitation(ctx, ids.invitation),
  });

  route(app, {
    ...roles,
    id: "deleteInvitation",
    summary: "Decline an invitation, or leave a squad",
    method: "DELETE",
    path: `${INVITATIONS}{invitation}/`,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteInvitation(ctx, ids.invitation),
  });
}
