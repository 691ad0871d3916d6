import { Type } from "@sinclair/typebox";
import { DateTime, DateTimeOut } from "../../wire/types.js";
import { isActive } from "./coverage.js";
import type { Permission as PermissionRow } from "./rules.js";

const Kind = Type.Union([Type.Literal("READ"), Type.Literal("WRITE"), Type.Literal("SHARE")]);

export const Permission = Type.Object(
  {
    id: Type.Integer(),
    manager: Type.Integer(),
    athlete: Type.Integer(),
    start_time: DateTimeOut(),
    expiration_time: DateTimeOut(),
    permission: Kind,
    is_active: Type.Boolean({ description: "true from start_time until just before expiration_time" }),
  },
  {
    $id: "Permission",
    examples: [
      {
        id: 31,
        manager: 12,
        athlete: 40,
        start_time: "2024-01-01T00:00:00.000Z",
        expiration_time: "2025-01-01T00:00:00.000Z",
        permission: "READ",
        is_active: false,
      },
    ],
  },
);

export const toPermission = (row: PermissionRow, now: Date) => ({
  id: row.id,
  manager: row.managerId,
  athlete: row.athleteId,
  start_time: row.startTime.toISOString(),
  expiration_time: row.expirationTime.toISOString(),
  permission: row.permission,
  is_active: isActive(row, now),
});

export const NewPermission = Type.Object(
  {
    start_time: DateTime(),
    expiration_time: DateTime({ description: "After start_time" }),
    permission: Kind,
  },
  {
    examples: [
      {
        start_time: "2024-01-01T00:00:00.000Z",
        expiration_time: "2025-01-01T00:00:00.000Z",
        permission: "READ",
      },
    ],
  },
);

/** At most 100 permissions. Either all of them are created, or none. */
export const NewPermissions = Type.Array(NewPermission, { minItems: 1, maxItems: 100 });
