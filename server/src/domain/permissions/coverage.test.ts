import { expect, it } from "vitest";
import { isActive } from "./coverage.js";

const at = (hour: number) => new Date(Date.UTC(2024, 0, 1) + hour * 3_600_000);
const from = (start: number, end: number) => ({ startTime: at(start), expirationTime: at(end) });

it("a permission is active from its start until just before its expiration", () => {
  expect([9.999, 10, 11.999, 12].map((hour) => isActive(from(10, 12), at(hour)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
