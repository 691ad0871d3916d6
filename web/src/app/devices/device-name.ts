import type { Resource } from "asi-client";

type Device = Resource["Device"];

/** What people call a device: the name that its owner has given, or that of the maker. */
export const nameOfDevice = ({ custom_name, device_name }: Device): string => custom_name ?? device_name;
