import { parseString } from "fast-csv";
import { errors } from "../domain/change/errors.js";
import type { NewDevice } from "../domain/devices/add.js";

const DEVICE_COLUMNS = ["serial_number", "device_name", "device_type"];

/**
 * Reads the CSV of `asi-server device import`.
 * @throws ServiceError on the field `file` if a column is missing
 */
export async function readDevices(csv: string): Promise<NewDevice[]> {
  const rows: Record<string, string>[] = [];
  let columns: readonly (string | null | undefined)[] = [];
  await new Promise<void>((resolve, reject) => {
    parseString<Record<string, string>, Record<string, string>>(csv, {
      headers: true,
      trim: true,
      ignoreEmpty: true,
    })
      .on("error", reject)
      .on("headers", (names) => {
        columns = names;
      })
      .on("data", (row: Record<string, string>) => rows.push(row))
      .on("end", () => resolve());
  });
  if (!DEVICE_COLUMNS.every((name) => columns.includes(name))) {
    throw errors.field("file", `Expected a first line with the columns ${DEVICE_COLUMNS.join(", ")}.`);
  }
  return rows.map(({ serial_number = "", device_name = "", device_type = "" }) => {
    return { serialNumber: serial_number, deviceName: device_name, deviceType: device_type };
  });
}
