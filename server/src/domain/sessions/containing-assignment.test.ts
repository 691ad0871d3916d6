import { expect, it } from "vitest";
import { containingAssignment } from "./containing-assignment.js";
import type { Assignment } from "./derivation-inputs.js";

/** Number of devices, each assigned once in every minute, in turns to two athletes. */
const DEVICES = 2;
const MINUTES = 500;

const minute = (count: number) => new Date(count * 60_000);

it("finds the assignment that contains a time frame, and reads the times of each assignment only once", () => {
  let reads = 0;
  const worn = new Map<number, Assignment[]>([
    [1, []],
    [2, []],
  ]);
  // The order of the ids is not the order of the times.
  for (let id = 0; id < DEVICES * MINUTES; id++) {
    const at = (id * 7) % MINUTES;
    const athleteId = 1 + (at % 2);
    worn.get(athleteId)?.push({
      id,
      ownerId: 9,
      deviceId: 1 + Math.floor(id / MINUTES),
      athleteId,
      get startTime() {
        reads++;
        return minute(at);
      },
      endTime: minute(at + 1),
      version: 1,
    });
  }
  const find = containingAssignment(worn);
  for (let at = 0; at < MINUTES; at++) {
    const [wearer, other] = at % 2 === 0 ? [1, 2] : [2, 1];
    const within = { deviceId: 2, startTime: minute(at), endTime: new Date(minute(at + 1).getTime() - 1) };
    const found = find({ ...within, athleteId: wearer });
    expect(found).toMatchObject({ deviceId: 2, endTime: minute(at + 1) });
    expect(find({ ...within, athleteId: other })).toBeUndefined();
    expect(find({ ...within, athleteId: wearer, deviceId: 3 })).toBeUndefined();
    // An end is not included, and a time frame may begin before the assignment.
    expect(find({ ...within, athleteId: wearer, endTime: minute(at + 1) })).toBeUndefined();
    expect(find({ ...within, athleteId: wearer, startTime: minute(at - 1) })).toBeUndefined();
  }
  expect(reads).toBe(DEVICES * MINUTES);
});
