import type { Resource } from "asi-client";
import type { Account } from "./session.js";

type Names = { first_name: string | null; last_name: string | null };

const fullName = ({ first_name, last_name }: Names): string =>
  [first_name, last_name].filter(Boolean).join(" ");

export const accountName = (account: Account): string =>
  fullName("manager_profile" in account ? account.manager_profile : account.athlete_profile) ||
  account.username;

/** Returns the display name of an athlete. The usernames of managed athletes are made up, and nobody knows them. */
export const athleteName = ({
  id,
  username,
  managed_by,
  athlete_profile,
}: Pick<Resource["Athlete"], "id" | "username" | "managed_by"> & { athlete_profile: Names }): string =>
  fullName(athlete_profile) || (managed_by === null ? username : `Athlete ${id}`);

/** Returns the display name of a manager, with details that distinguish people with the same name. */
export const managerName = (manager: Resource["KnownManager"]): string => {
  const name = fullName(manager);
  const ids = `${manager.username}, number ${manager.id}`;
  return name === "" ? ids : `${name} (${ids})`;
};

/** Returns the display name of a device, which comes from the owner or from the manufacturer. */
export const deviceName = ({ custom_name, device_name }: Resource["Device"]): string =>
  custom_name || device_name;

/** Returns the name followed by the serial number, unless both are equal. */
export function deviceWithSerial(device: Resource["Device"]): string {
  const name = deviceName(device);
  return name === device.serial_number ? name : `${name} (${device.serial_number})`;
}
