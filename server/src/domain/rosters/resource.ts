import { type StaticDecode, Type } from "@sinclair/typebox";
import { Query } from "../../wire/types.js";

/** Maximum number of players in one file, because one transaction changes them. */
export const MAX_PLAYERS = 200;
/** Maximum number of serial numbers in one file, because one transaction changes their assignments. */
export const MAX_SERIALS = 1_000;

export const RosterQuery = Type.Object({
  from: Query.dateTime("Start time of the roster's values; default: now"),
  create: Query.boolean("Whether to create managed athletes for unknown names; default: false"),
});

export type RosterOptions = StaticDecode<typeof RosterQuery>;

/** Only for the OpenAPI document: `readRoster` of the library reads the bytes. */
export const RosterFile = Type.String({
  description: "`roster.csv` of `asi squad`",
  examples: ["player,number,position,serial,max_hr\nBea Bell,7,MF,TRK-001,191\n"],
});

const Count = Type.Integer({ minimum: 0 });

export const RosterResult = Type.Object(
  {
    created: Type.Object({ athletes: Count, members: Count, assignments: Count }),
    changed: Type.Object(
      { members: Count, assignments: Count },
      { description: "Members and assignments that started at `from` and now have other values" },
    ),
    unchanged: Type.Integer({
      minimum: 0,
      description: "Members and assignments that already matched the file",
    }),
  },
  {
    $id: "RosterResult",
    examples: [
      {
        created: { athletes: 0, members: 1, assignments: 1 },
        changed: { members: 0, assignments: 0 },
        unchanged: 0,
      },
    ],
  },
);
