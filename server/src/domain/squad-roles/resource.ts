import { type StaticDecode, Type } from "@sinclair/typebox";
import { DateTimeOut, Id, Nullable, Text } from "../../wire/types.js";
import type { Grant as GrantRow } from "./rules.js";

const GuestRole = Type.Union([Type.Literal("coach"), Type.Literal("analyst"), Type.Literal("physician")], {
  description: "A coach reads without heart data, an analyst also edits, a physician also reads heart data",
});

const example = { username: "ben", role: "coach" as const };
const times = { created_at: "2024-01-01T06:00:00.000Z", accepted_at: null };

export const GrantInput = Type.Object(
  { username: Text({ minLength: 1, description: "The exact username of a manager" }), role: GuestRole },
  { examples: [example] },
);

export type NewGrant = StaticDecode<typeof GrantInput>;

const accepted = Nullable(DateTimeOut({ description: "null: not accepted, or no such account" }));

export const Grant = Type.Object(
  {
    id: Id(),
    username: Type.String({ description: "As it was sent" }),
    role: GuestRole,
    created_at: DateTimeOut(),
    accepted_at: accepted,
  },
  { $id: "SquadGrant", examples: [{ id: 17, ...example, ...times }] },
);

export const Invitation = Type.Object(
  {
    id: Id(),
    squad: Id({ description: "Id of the squad" }),
    squad_name: Type.String(),
    owner: Type.String({ description: "Username of the inviting manager" }),
    role: GuestRole,
    created_at: DateTimeOut(),
    accepted_at: Nullable(DateTimeOut({ description: "null: not accepted" })),
  },
  {
    $id: "SquadInvitation",
    examples: [{ id: 17, squad: 2, squad_name: "First team", owner: "ann", role: "coach", ...times }],
  },
);

export const toGrant = ({ id, username, role, createdAt, acceptedAt }: GrantRow) => ({
  id,
  username,
  role,
  created_at: createdAt.toISOString(),
  accepted_at: acceptedAt?.toISOString() ?? null,
});

export const toInvitation = ({
  squadName,
  owner,
  ...grant
}: GrantRow & { squadName: string; owner: string }) => {
  const { username: _, id, ...rest } = toGrant(grant);
  return { id, squad: grant.squadId, squad_name: squadName, owner, ...rest };
};
