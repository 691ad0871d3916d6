/** Devices, their owners and their Bluetooth settings. */
import { boolean, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant, reference, version } from "./columns.js";

export const devices = pgTable("devices", {
  id: id(),
  deviceName: text("device_name").notNull(),
  serialNumber: text("serial_number").notNull(),
  deviceType: text("device_type").notNull(),
  firmwareVersion: text("firmware_version"),
  /** Time to which the last report of this version refers. */
  firmwareAt: instant("firmware_at"),
  customName: text("custom_name"),
  activationTime: instant("activation_time"),
  /** A device retired by the operator cannot be taken. */
  retiredAt: instant("retired_at"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** Owners of devices over time: half-open intervals [start_time, end_time). */
export const ownerships = pgTable("ownerships", {
  id: id(),
  deviceId: reference("device_id").notNull(),
  managerId: reference("manager_id").notNull(),
  startTime: instant("start_time").notNull(),
  endTime: instant("end_time").notNull(),
  version: version(),
});

export interface Pairing {
  mac_address: string;
  name: string | null;
}
export interface Pairings {
  pairing_1?: Pairing;
  pairing_2?: Pairing;
}

export const bluetoothConfigurations = pgTable("bluetooth_configurations", {
  deviceId: reference("device_id").primaryKey(),
  target: jsonb("target").$type<Pairings>().notNull(),
  current: jsonb("current").$type<Pairings>().notNull(),
  /** Ownership during which the device reported `current`; other owners do not see it. */
  reportedIn: reference("reported_in"),
  version: version(),
});

/** Earlier and current targets, until the device reports one of them as received. */
export const bluetoothCommands = pgTable(
  "bluetooth_commands",
  {
    deviceId: reference("device_id").notNull(),
    configurationVersion: integer("configuration_version").notNull(),
    target: jsonb("target").$type<Pairings>().notNull(),
    immediate: boolean("immediate").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.configurationVersion] })],
);
