import { and, desc, eq, lte } from "drizzle-orm";
import { bluetoothCommands, bluetoothConfigurations, ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { findDevice, updateDevice } from "../devices/device.js";
import { findConfiguration } from "./configuration.js";

export interface StartReport {
  serialNumber: string;
  /** Version of the configuration that the device received; defaults to the newest. */
  configurationVersion?: number | undefined;
  firmwareVersion?: string | undefined;
}

/** Records that a device has started. Its current configuration is now the target that was sent to it. */
export async function reportStart(ctx: Context, report: StartReport) {
  return transact(ctx, "device report-start", async (unit) => {
    const device = await findDevice(unit, report.serialNumber);
    if (report.firmwareVersion !== undefined && report.firmwareVersion !== device.firmwareVersion) {
      await updateDevice(unit, device, {
        firmwareVersion: report.firmwareVersion,
        firmwareAt: unit.now,
      });
    }
    const configuration = await receive(unit, device.id, report.configurationVersion);
    return { serialNumber: device.serialNumber, current: configuration?.current ?? {} };
  });
}

async function receive({ queries, announce }: UnitOfWork, deviceId: number, version: number | undefined) {
  const before = await findConfiguration(queries, deviceId);
  const [command] = await queries
    .select()
    .from(bluetoothCommands)
    .where(
      and(
        eq(bluetoothCommands.deviceId, deviceId),
        version === undefined ? undefined : eq(bluetoothCommands.configurationVersion, version),
      ),
    )
    .orderBy(desc(bluetoothCommands.configurationVersion))
    .limit(1);
  if (command === undefined) {
    if (version === undefined || version === before?.version) return before;
    throw errors.notFound(`Configuration ${version} was not sent to the device.`);
  }
  const [ownership] = await queries
    .select()
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, deviceId), eq(ownerships.endTime, CURRENT_END)));
  const [after] = await queries
    .update(bluetoothConfigurations)
    .set({
      current: command.target,
      reportedIn: ownership?.id ?? before?.reportedIn ?? null,
    })
    .where(eq(bluetoothConfigurations.deviceId, deviceId))
    .returning();
  await queries
    .delete(bluetoothCommands)
    .where(
      and(
        eq(bluetoothCommands.deviceId, deviceId),
        lte(bluetoothCommands.configurationVersion, command.configurationVersion),
      ),
    );
  await announce("bluetoothChanged", { deviceId, before: before ?? null, after: after ?? null });
  return after;
}
