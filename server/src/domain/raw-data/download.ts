import type { StaticDecode } from "@sinclair/typebox";
import { formatSamples, type LabelledSamples } from "asi-convert";
import { and, asc, eq, gt } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";
import { devices, ownerships } from "../../store/schema.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import type { OnceOwnedDevice } from "../ownerships/rules.js";
import { arrowStream } from "./arrow-stream.js";
import { ownedSamples } from "./owned-samples.js";
import { counted, type FileForm, type SampleFileQuery, sampleFile, timesIn } from "./sample-file.js";

type Query = StaticDecode<typeof SampleFileQuery>;
type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

/**
 * Returns the samples of a device from the times when the caller owned it, in chronological order, as a file in pieces. Reads them
 * during the transfer.
 * @throws ServiceError `invalid`; from the generator `unauthenticated` when the caller is signed out, and `forbidden` when the
 *   caller no longer owns the times of samples that were read
 */
export function downloadSamples(
  ctx: Context,
  { device }: OnceOwnedDevice,
  query: Query,
  form: FileForm,
): Pieces {
  const { format, allocate } = form;
  const within = timesIn(query);
  const serial = device.serialNumber;
  const samples = counted(ownSamples(ctx, device.id, within, accessRecheck(ctx)), form);
  return format === "arrow"
    ? arrowStream([{ labels: [], samples }], { labels: [], metadata: { schema: "rows/1", serial }, allocate })
    : formatSamples(samples, { format, info: { ...UNKNOWN, serial }, allocate });
}

/** Header values for which the service stores no data. */
const UNKNOWN = { formatVersion: 1, deviceName: "", deviceType: "", firmwareVersion: "", periodMs: 0 };

const ownSamples = (ctx: Context, deviceId: number, within: Interval, recheck: () => Promise<void>) =>
  ownedSamples(ctx, { deviceId, ownerId: ctx.caller?.id ?? 0 }, [within], recheck);

/**
 * Returns the samples of all devices from the times when the caller owned them, as one file in pieces, device by device
 * in chronological order.
 * @throws ServiceError as `downloadSamples`
 */
export function downloadAllSamples(ctx: Context, query: Query, form: FileForm): Pieces {
  const within = timesIn(query);
  return sampleFile(samplesByDevice(ctx, within, form), {
    ...form,
    schema: "device-rows/1",
    labels: ["device"],
  });
}

async function* samplesByDevice(
  ctx: Context,
  within: Interval,
  form: FileForm,
): AsyncGenerator<LabelledSamples> {
  const recheck = accessRecheck(ctx);
  // Read one device at a time, because there may be thousands, and new ones may be added during a long download.
  for (let last = 0; ; ) {
    const [next] = await ctx.queries
      .select({ id: devices.id, serial: devices.serialNumber })
      .from(ownerships)
      .innerJoin(devices, eq(devices.id, ownerships.deviceId))
      .where(and(eq(ownerships.managerId, ctx.caller?.id ?? 0), gt(ownerships.deviceId, last)))
      .orderBy(asc(ownerships.deviceId))
      .limit(1);
    if (next === undefined) return;
    yield { labels: [next.serial], samples: counted(ownSamples(ctx, next.id, within, recheck), form) };
    last = next.id;
  }
}
