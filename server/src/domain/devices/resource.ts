import { FormatRegistry, Type } from "@sinclair/typebox";
import { Nullable } from "../../wire/types.js";
import { type Item, item } from "../change/entity-tags.js";
import type { Device as DeviceRow } from "./device.js";

export const exampleDevice = {
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

/**
 * @param isOwner whether the caller owns the device now. Others do not see the custom name, which may contain the name of a
 *   person.
 */
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

/**
 * Returns a device as its owner sees it.
 * @param ownership current ownership of the caller
 */
export const deviceItem = (device: DeviceRow, ownership: { id: number }): Item<ReturnType<typeof toDevice>> =>
  item(toDevice(device, true), device.version, ownership.id);

/** Allows letters, digits and combining marks of any script, inner spaces and a few other characters. */
const CUSTOM_NAME = /^(?! )[\p{L}\p{M}\p{N} _\-.'()/#&]{1,60}(?<! )$/u;

export const isCustomName = (value: string): boolean => value === "" || CUSTOM_NAME.test(value);

FormatRegistry.Set("custom-name", isCustomName);

export const CUSTOM_NAME_PROBLEM =
  "At most 60 letters, digits, spaces and the signs _ - . ' ( ) / # &, neither beginning nor ending with a space.";

export const CustomName = Type.Object({
  custom_name: Nullable(
    Type.String({
      format: "custom-name",
      problem: CUSTOM_NAME_PROBLEM,
      description: "At most 60 characters; empty or null clears the name",
      examples: ["Left wing"],
    }),
  ),
});
