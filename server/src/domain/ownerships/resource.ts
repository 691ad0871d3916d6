import { Type } from "@sinclair/typebox";
import { DateTimeOut } from "../../wire/types.js";
import type { Device as DeviceRow } from "../devices/device.js";
import { Device, exampleDevice, toDevice } from "../devices/resource.js";
import type { Ownership as OwnershipRow } from "./rules.js";

export const Ownership = Type.Object(
  {
    id: Type.Integer(),
    start_time: DateTimeOut(),
    end_time: DateTimeOut({ description: "2999-12-31T23:59:59.000Z for the current owner" }),
    device: Type.Integer(),
    manager: Type.Integer(),
    device_details: Device,
  },
  {
    $id: "DeviceOwnership",
    examples: [
      {
        id: 3,
        start_time: "2024-01-01T06:00:00.000Z",
        end_time: "2999-12-31T23:59:59.000Z",
        device: 7,
        manager: 12,
        device_details: exampleDevice,
      },
    ],
  },
);

export function toOwnership(ownership: OwnershipRow, device: DeviceRow, isOwner: boolean) {
  return {
    id: ownership.id,
    start_time: ownership.startTime.toISOString(),
    end_time: ownership.endTime.toISOString(),
    device: ownership.deviceId,
    manager: ownership.managerId,
    device_details: toDevice(device, isOwner),
  };
}
