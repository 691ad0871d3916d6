import { type Static, Type } from "@sinclair/typebox";
import { DateTimeOut, Nullable } from "../../wire/types.js";
import { encodeChangeCursor } from "./cursor.js";

export const Change = Type.Object(
  {
    kind: Type.Union(
      (["samples", "session", "figures", "squad", "athlete"] as const).map((kind) => Type.Literal(kind)),
      { description: "`figures` means the figures of a session" },
    ),
    id: Type.Integer({ description: "Id of the device, the session, the squad or the athlete" }),
    from: Nullable(DateTimeOut({ description: "Samples: first time to read again; otherwise null" })),
    to: Nullable(DateTimeOut({ description: "Samples: end of this time, exclusive; otherwise null" })),
    removed: Type.Boolean({ description: "Whether you can no longer read it, or it no longer exists" }),
  },
  { $id: "Change" },
);
export type Change = Static<typeof Change>;

export const Changes = Type.Object(
  {
    results: Type.Array(Change),
    next_cursor: Type.String({
      description: "Value for the parameter `cursor` of the next request, now or later",
    }),
    has_more: Type.Boolean({ description: "Whether more changes may already be available" }),
  },
  {
    $id: "Changes",
    examples: [
      {
        results: [
          {
            kind: "samples",
            id: 7,
            from: "2024-01-01T13:30:00.000Z",
            to: "2024-01-01T15:29:59.901Z",
            removed: false,
          },
          { kind: "session", id: 5, from: null, to: null, removed: true },
        ],
        next_cursor: encodeChangeCursor({
          epoch: "6f1c2a52-5e0b-4d55-9d0c-3e3a8e7f4d10",
          xid: "7301",
          seq: 0,
          clockMs: 1704124800000,
          athleteId: 0,
          reader: "12.11",
        }),
        has_more: false,
      },
    ],
  },
);
export type Changes = Static<typeof Changes>;
