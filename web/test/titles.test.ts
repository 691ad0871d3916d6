import { expect, it } from "vitest";
import type { Facts } from "../src/recording/recording.js";
import { titlesOf } from "../src/recording/timeline.js";

const recording = (fileName: string, deviceName: string) => ({
  facts: { fileName, info: { deviceName, serial: "S-1" } } as Facts,
});

it("recordings of the same device are named after their files in a comparison", () => {
  expect(
    titlesOf([
      recording("saturday.asi", "Tracker 17"),
      recording("keeper.asi", "Tracker 4"),
      recording("sunday.asi", "Tracker 17"),
    ]),
  ).toEqual(["Tracker 17 · saturday", "Tracker 4", "Tracker 17 · sunday"]);
});

it("a recording of a device with a generic name is named after its file", () => {
  const named = (deviceName: string, deviceType: string) =>
    titlesOf([
      { facts: { fileName: "saturday.asi", info: { deviceName, deviceType, serial: "S-1" } } as Facts },
    ]);
  expect(named("Tracker", "vest")).toEqual(["saturday"]);
  expect(named("VEST", "vest")).toEqual(["saturday"]);
  expect(named("Left wing", "vest")).toEqual(["Left wing"]);
});
