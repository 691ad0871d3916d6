import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findDamage } from "../src/recording/find-damage.js";
import { fixturePath } from "./fixtures.js";

describe("the damaged places of a recording", () => {
  const whole = readFileSync(fixturePath("valid/match-hr.asi"));

  it("are none if it is whole", async () => {
    expect(await findDamage(new Blob([whole]), "X")).toEqual({ places: [], hasMore: false });
  });

  it("include the last frame where the file is cut off", async () => {
    const { places } = await findDamage(new Blob([whole.subarray(0, -5)]), "X");
    expect(places).toHaveLength(1);
    const [last] = places;
    expect(whole.subarray(last?.byteOffset).subarray(0, 2).toString("hex")).toBe("b562");
    expect(whole.length - (last?.byteOffset ?? 0)).toBeLessThan(110);
  });
});
