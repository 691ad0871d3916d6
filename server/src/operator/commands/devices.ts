import { reportStart } from "../../domain/bluetooth/report-start.js";
import { addDevices } from "../../domain/devices/add.js";
import { renameDevice } from "../../domain/devices/rename.js";
import { backdateOwnership } from "../../domain/ownerships/backdate.js";
import { listAllDevices } from "../../domain/ownerships/device-overview.js";
import { reinstateDevice, retireDevice } from "../../domain/ownerships/retire.js";
import { deleteSamples } from "../../domain/raw-data/delete.js";
import { readDevices } from "../device-csv.js";
import { after, date, flag, optionalInteger, optionalText, text } from "./arguments.js";
import type { Commands } from "./outcome.js";

export const deviceCommands = {
  async "device list"(ctx, args) {
    const filters = {
      owner: optionalText(args, "owner"),
      retired: flag(args, "retired"),
      search: optionalText(args, "search"),
    };
    return { ...(await listAllDevices(ctx, filters, after(args))) };
  },

  async "device add"(ctx, args) {
    const [device] = await addDevices(ctx, [
      {
        serialNumber: text(args, "serialNumber"),
        deviceName: text(args, "deviceName"),
        deviceType: text(args, "deviceType"),
      },
    ]);
    return { id: device?.id, serial_number: device?.serialNumber };
  },

  async "device import"(ctx, args) {
    const added = await addDevices(ctx, await readDevices(text(args, "csv")));
    return { added: added.length };
  },

  async "device rename"(ctx, args) {
    const { serialNumber, deviceName, customName } = await renameDevice(ctx, text(args, "serialNumber"), {
      deviceName: optionalText(args, "deviceName"),
      customName: optionalText(args, "customName"),
    });
    return { serial_number: serialNumber, device_name: deviceName, custom_name: customName };
  },

  async "device retire"(ctx, args) {
    const change = flag(args, "undo") ? reinstateDevice : retireDevice;
    const { serialNumber, retiredAt } = await change(ctx, text(args, "serialNumber"));
    return { serial_number: serialNumber, retired: retiredAt?.toISOString() ?? null };
  },

  async "device report-start"(ctx, args) {
    const { serialNumber, current } = await reportStart(ctx, {
      serialNumber: text(args, "serialNumber"),
      configurationVersion: optionalInteger(args, "configVersion", 9),
      firmwareVersion: optionalText(args, "firmwareVersion"),
    });
    return { serial_number: serialNumber, current };
  },

  async "ownership backdate"(ctx, args) {
    const { device, ownership } = await backdateOwnership(
      ctx,
      text(args, "serialNumber"),
      date(args, "start"),
    );
    return {
      serial_number: device.serialNumber,
      manager: ownership.managerId,
      start_time: ownership.startTime.toISOString(),
    };
  },

  async "samples delete"(ctx, args) {
    const serialNumber = text(args, "serialNumber");
    const { deleted, waitingLoads } = await deleteSamples(
      ctx,
      serialNumber,
      date(args, "start"),
      date(args, "stop"),
    );
    return { serial_number: serialNumber, samples_deleted: deleted, recordings_waiting: waitingLoads };
  },
} satisfies Commands;
