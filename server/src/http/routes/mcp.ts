import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { Nullable } from "../../wire/types.js";
import { requireOwnOrigin } from "../browser/own-origin.js";
import { OwnApi } from "../mcp/own-api.js";
import { CustomResponse } from "../responses.js";
import { route } from "../route.js";

const Free = Type.Object({}, { additionalProperties: Type.Unknown() });
const MessageId = Type.Union([Type.String({ maxLength: 200 }), Type.Integer()]);

const Message = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Optional(MessageId),
    method: Type.String({ maxLength: 200 }),
    params: Type.Optional(Free),
  },
  {
    description: "A request or a notification (JSON-RPC 2.0)",
    examples: [
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_squads", arguments: {} } },
    ],
  },
);

const Reply = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Nullable(MessageId),
    result: Type.Optional(Free),
    error: Type.Optional(
      Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
    ),
  },
  {
    $id: "JsonRpcResponse",
    examples: [
      {
        jsonrpc: "2.0" as const,
        id: 1,
        result: { content: [{ type: "text", text: '{"squads":[]}' }], structuredContent: { squads: [] } },
      },
    ],
  },
);

/** Adds the Model Context Protocol over HTTP, without sessions and streams. */
export function mcpRoutes(app: FastifyInstance): void {
  route(app, {
    id: "callMcp",
    tag: "MCP",
    version: 2,
    summary: "Call the Model Context Protocol server",
    description:
      "A Model Context Protocol server (Streamable HTTP). Its tools list squads and sessions and return figures with definitions, quality and sources. They only read, through this API and as the caller, so rights, limits and logs are the same. At most 4 messages of a caller are processed at a time, 8 more wait, and further ones return 429. The server has no protocol sessions and no streams, so GET and DELETE return 405. A notification returns 202 without a body. A request with an `Origin` of another site is refused with 403.",
    method: "POST",
    path: "/mcp/",
    otherPaths: ["/mcp"],
    body: Message,
    success: { status: 200, schema: Reply },
    failures: [202, 400],
    isRepeatable: true,
    waitsForOthers: true,
    async handle({ request, body }) {
      requireOwnOrigin(app, request);
      // Many services never receive such messages, so the first message loads the protocol library.
      const { answerMessage } = await import("../mcp/answer.js");
      const { status, reply } = await answerMessage(body, request, new OwnApi(app, request));
      if (reply === null) return new CustomResponse(202, {});
      if (status !== 200) throw errors.malformed(reply.error?.message ?? "The message could not be read.");
      return reply;
    },
  });
}
