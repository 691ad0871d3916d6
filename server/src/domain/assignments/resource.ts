import { type StaticDecode, Type } from "@sinclair/typebox";
import { CURRENT_END, DateTime, DateTimeOut, Id } from "../../wire/types.js";
import { type Item, item } from "../change/entity-tags.js";
import type { Assignment as AssignmentRow } from "./rules.js";

const example = {
  device: 7,
  athlete: 14,
  start_time: "2024-07-01T00:00:00.000Z",
  end_time: CURRENT_END.toISOString(),
};

export const Assignment = Type.Object(
  {
    id: Id(),
    device: Id({ description: "Id of the device" }),
    athlete: Id({ description: "Id of the athlete who wears it" }),
    start_time: DateTimeOut(),
    end_time: DateTimeOut({ description: "Excluded" }),
  },
  { $id: "Assignment", examples: [{ id: 12, ...example }] },
);

const EndTime = Type.Optional(DateTime({ description: `Excluded; default ${CURRENT_END.toISOString()}` }));

export const AssignmentInput = Type.Object(
  {
    device: Id({ description: "Id of a device that you own or have owned" }),
    athlete: Id({ description: "Id of an athlete on whom you have WRITE permission" }),
    start_time: DateTime(),
    end_time: EndTime,
  },
  { examples: [example] },
);

export const AssignmentPatch = Type.Object(
  { start_time: Type.Optional(DateTime()), end_time: EndTime },
  { examples: [{ end_time: "2024-06-30T00:00:00.000Z" }] },
);

export type NewAssignment = StaticDecode<typeof AssignmentInput>;
export type AssignmentChange = StaticDecode<typeof AssignmentPatch>;

export const toAssignment = (row: AssignmentRow) => ({
  id: row.id,
  device: row.deviceId,
  athlete: row.athleteId,
  start_time: row.startTime.toISOString(),
  end_time: row.endTime.toISOString(),
});

export const assignmentItem = (row: AssignmentRow): Item<ReturnType<typeof toAssignment>> =>
  item(toAssignment(row), row.version);
