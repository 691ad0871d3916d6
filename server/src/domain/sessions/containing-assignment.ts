import { groupBy } from "../change/group-by.js";
import { overlapSearch } from "../sample-ownership/overlap-search.js";
import type { Assignment, DerivationInputs } from "./derivation-inputs.js";

type Wearing = Pick<Assignment, "athleteId" | "deviceId">;

/** Identifies an athlete and a device. */
export const wearerOf = ({ athleteId, deviceId }: Wearing): string => `${athleteId} ${deviceId}`;

/**
 * Returns a function that finds the assignment that contains a time frame, by binary search, because a session can have a thousand
 * assignments and as many time frames. The assignments of a device do not overlap.
 */
export function containingAssignment(
  worn: DerivationInputs["worn"],
): (frame: Wearing & { startTime: Date; endTime: Date }) => Assignment | undefined {
  const searches = new Map(
    [...groupBy([...worn.values()].flat(), wearerOf)].map(([wearer, all]) => [
      wearer,
      overlapSearch(
        all
          .map((one) => ({
            assignment: one,
            startMs: one.startTime.getTime(),
            stopMs: one.endTime.getTime() - 1,
          }))
          .sort((a, b) => a.startMs - b.startMs),
      ),
    ]),
  );
  return (frame) => {
    const endMs = frame.endTime.getTime();
    const found = searches.get(wearerOf(frame))?.({ startMs: endMs, stopMs: endMs });
    return found !== undefined && found.startMs <= frame.startTime.getTime() ? found.assignment : undefined;
  };
}
