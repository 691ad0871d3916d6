import type { FastifyInstance } from "fastify";
import { ChangesQuery, listChanges } from "../../domain/change-feed/list.js";
import { Changes } from "../../domain/change-feed/resource.js";
import { route } from "../route.js";

export function changeRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listChanges",
    tag: "Changes",
    version: 2,
    summary: "List what has changed since a cursor",
    description:
      "Use it to maintain a copy of your data, such as a warehouse. Each change names the data to read again: the samples of a device from `from` to before `to`, a session with its periods and figures, the figures of a session, a squad with its sessions, or an athlete. Delete your copy and read it again; with `removed`, only delete it. Changes can be repeated, and a response can have no changes although `has_more` is true. Without a cursor, the response contains no changes, only a cursor for later changes. `410` means that changes may be missing: `cursor_expired` if the cursor is too old, or too many changes have followed, `history_replaced` after a restored backup. Then begin without a cursor, and read everything. A personal token gets changes of samples with the scope `samples:read`, and all other changes with `sessions:read`. `409` with `cursor_of_another_token` means that the cursor was issued to another account, or to a token with other scopes.",
    method: "GET",
    path: "/api/v2/changes/",
    query: ChangesQuery,
    success: { status: 200, schema: Changes },
    failures: [400, 409, 410],
    handle: ({ ctx, query }) => listChanges(ctx, query),
  });
}
