import type { Damage } from "asi-convert";

/** Damaged places close to each other. */
export interface DamageGroup {
  count: number;
  /** Offsets of the first and of the last place. */
  firstByte: number;
  lastByte: number;
  /** The last row before the first place, ms since 1970 UTC, or null if there is none. */
  afterMs: number | null;
}

/** One disturbance often damages several successive frames. The user needs to look at the plots of that second only once. */
const TOGETHER_MS = 1000;

/** Groups places that are within a second of the first place of the group. @param places in file order */
export function groupDamage(places: Damage["places"]): DamageGroup[] {
  const groups: DamageGroup[] = [];
  for (const { byteOffset, afterMs } of places) {
    const last = groups.at(-1);
    if (last !== undefined && isTogether(last.afterMs, afterMs)) {
      last.count += 1;
      last.lastByte = byteOffset;
    } else {
      groups.push({ count: 1, firstByte: byteOffset, lastByte: byteOffset, afterMs });
    }
  }
  return groups;
}

// rows can go back in time
function isTogether(aMs: number | null, bMs: number | null): boolean {
  if (aMs === null || bMs === null) return aMs === bMs;
  return Math.abs(bMs - aMs) < TOGETHER_MS;
}
