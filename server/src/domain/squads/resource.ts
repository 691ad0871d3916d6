import { type StaticDecode, Type } from "@sinclair/typebox";
import { DateTimeOut, Id, Text } from "../../wire/types.js";
import { type Item, item } from "../change/entity-tags.js";
import type { Squad as SquadRow } from "../squad-roles/rules.js";

const example = { name: "First team" };

export const Squad = Type.Object(
  { id: Id(), name: Type.String(), created_at: DateTimeOut() },
  { $id: "Squad", examples: [{ id: 2, ...example, created_at: "2024-01-01T06:00:00.000Z" }] },
);

export const SquadInput = Type.Object(
  { name: Text({ minLength: 1, maxLength: 100 }) },
  { examples: [example] },
);

export type NewSquad = StaticDecode<typeof SquadInput>;

export const toSquad = ({ id, name, createdAt }: SquadRow) => ({
  id,
  name,
  created_at: createdAt.toISOString(),
});

export const squadItem = (row: SquadRow): Item<ReturnType<typeof toSquad>> => item(toSquad(row), row.version);
