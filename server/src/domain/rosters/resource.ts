import { type StaticDecode, Type } from "@sinclair/typebox";
import { DateTimeOut, Id, Nullable, Query } from "../../wire/types.js";
import { Thresholds } from "../members/resource.js";

/** Maximum number of players in one file, because one transaction changes them. */
export const MAX_PLAYERS = 200;
/** Maximum number of serial numbers in one file, because one transaction changes their assignments. */
export const MAX_SERIALS = 1_000;

export const RosterQuery = Type.Object({
  from: Query.dateTime("Start time of the roster's values; default: now"),
  create: Query.boolean("Whether to create managed athletes for unknown names; default: false"),
  replace_later: Query.boolean(
    "Whether the values of the file also replace those of members and assignments that start after `from`; default: false",
  ),
});

export type RosterOptions = StaticDecode<typeof RosterQuery>;

/** Only for the OpenAPI document: `readRoster` of the library reads the bytes. */
export const RosterFile = Type.String({
  description: "`roster.csv` of `asi squad`",
  examples: ["player,number,position,serial,max_hr\nBea Bell,7,MF,TRK-001,191\n"],
});

const KeptLater = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: "Line of the player in the file" }),
    player: Type.String({ description: "Name in the file" }),
    athlete: Id({ description: "The player" }),
    from: DateTimeOut({ description: "Start of the later member or assignment" }),
    serial_number: Nullable(Type.String({ description: "Device of the assignment; null for a member" })),
    // An erasure finds people in stored responses by members named `athlete`.
    worn_by: Type.Optional(
      Type.Object({ athlete: Id() }, { description: "Athlete who wears the device from then on" }),
    ),
    number: Type.Optional(Nullable(Type.Integer())),
    position: Type.Optional(Nullable(Type.String())),
    params: Type.Optional(Thresholds),
  },
  { description: "Contains only the values that differ from the file" },
);

const Count = Type.Integer({ minimum: 0 });

export const RosterResult = Type.Object(
  {
    created: Type.Object({ athletes: Count, members: Count, assignments: Count }),
    changed: Type.Object(
      { members: Count, assignments: Count },
      {
        description:
          "Members and assignments that start at `from`, or later with `replace_later`, and now have other values",
      },
    ),
    unchanged: Type.Integer({
      minimum: 0,
      description: "Members and assignments that already matched the file at `from`",
    }),
    kept_later: Type.Array(KeptLater, {
      description:
        "Members and assignments that start after `from` and whose values differ from the file. They are kept unless `replace_later` is true",
    }),
  },
  {
    $id: "RosterResult",
    examples: [
      {
        created: { athletes: 0, members: 1, assignments: 1 },
        changed: { members: 0, assignments: 0 },
        unchanged: 0,
        kept_later: [],
      },
    ],
  },
);
