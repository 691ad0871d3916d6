/**
 * Position of a client in the live data of several devices, as an event id: for each device, the time of the newest
 * sample that the client has, ms since 1970 UTC. The text is short, because every event contains one: numbers are in
 * base 36, and times count back from the newest one. It needs no encoding in a URL.
 */

/** Null for a device from which the client has no sample. */
export type LivePosition = ReadonlyMap<number, number | null>;

const BASE = 36;

export const POSITION_PATTERN = "^[0-9a-z]{1,9}(~[0-9a-z]{1,11}\\.[0-9a-z]{0,9})*$";
/** Request headers have at most 16 KiB in total. */
export const POSITION_MAX_LENGTH = 4096;

const PATTERN = new RegExp(POSITION_PATTERN);

export function positionText(position: LivePosition): string {
  let newestMs = 0;
  for (const ms of position.values()) newestMs = Math.max(newestMs, ms ?? 0);
  const devices = [...position].map(([device, ms]) => {
    const before = ms === null ? "" : (newestMs - ms).toString(BASE);
    return `~${device.toString(BASE)}.${before}`;
  });
  return newestMs.toString(BASE) + devices.join("");
}

/** @returns undefined for a text that was never an event id */
export function parsePosition(text: string): LivePosition | undefined {
  if (text.length > POSITION_MAX_LENGTH || !PATTERN.test(text)) return undefined;
  const [newest = "", ...devices] = text.split("~");
  const newestMs = Number.parseInt(newest, BASE);
  return new Map(
    devices.map((one) => {
      const [device = "", before = ""] = one.split(".");
      return [
        Number.parseInt(device, BASE),
        before === "" ? null : newestMs - Number.parseInt(before, BASE),
      ] as const;
    }),
  );
}
