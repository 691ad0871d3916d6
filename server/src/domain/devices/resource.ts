import { FormatRegistry, Type } from "@sinclair/typebox";
import { DateTimeOut, Nullable } from "../../wire/types.js";
import type { Device as DeviceRow, Ownership as OwnershipRow } from "./rules.js";

const exampleDevice = {
  id: 7,
  device_name: "tracker-7",
  serial_number: "A1B2C3D4",
  device_type: "T1",
  firmware_version: "2.1",
  custom_name: "Left wing",
};

export const Device = Type.Object(
  {
    id: Type.Integer(),
    device_name: Type.String({ description: "Device identifier" }),
    serial_number: Type.String(),
    device_type: Type.String({ description: "Model name" }),
    firmware_version: Nullable(Type.String()),
    custom_name: Nullable(Type.String({ description: "Shown to the current owner only" })),
  },
  { $id: "Device", examples: [exampleDevice] },
);

/** @param isOwner whether the caller owns the device now: a custom name may name a person */
export function toDevice(device: DeviceRow, isOwner: boolean) {
  return {
    id: device.id,
    device_name: device.deviceName,
    serial_number: device.serialNumber,
    device_type: device.deviceType,
    firmware_version: device.firmwareVersion,
    custom_name: isOwner ? device.customName : null,
  };
}

/** Letters, digits and combining marks of any script, space and a few signs; no space at either end. */
const CUSTOM_NAME = /^(?! )[\p{L}\p{M}\p{N} _\-.'()/#&]{1,60}(?<! )$/u;

FormatRegistry.Set("custom-name", (value) => value === "" || CUSTOM_NAME.test(value));

export const CustomName = Type.Object({
  custom_name: Nullable(
    Type.String({
      format: "custom-name",
      problem:
        "At most 60 letters, digits, spaces and the signs _ - . ' ( ) / # &, neither beginning nor ending with a space.",
      description: "At most 60 characters; empty or null clears the name",
    }),
  ),
});

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
