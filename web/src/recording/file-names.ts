import type { DeviceRange } from "./device-range.js";

export function nameWithoutExtension(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, "") || fileName;
}

const compact = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$|[-:]/g, "");

/** Returns the file name of a downloaded range of the service. */
export const rangeFileName = ({ device, startMs, stopMs }: DeviceRange): string =>
  `${device.serial}_${compact(startMs)}_${compact(stopMs)}.asi`;
