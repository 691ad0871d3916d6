import { expect, it } from "vitest";
import type { OwnApi } from "../own-api.js";
import { deviceSamples } from "./devices.js";

const FROM = "2024-03-01T10:00:00Z";
const sample = {
  "gnss.timestamp": Date.parse(FROM),
  "gnss.latitude": 47,
  "gnss.longitude": 8,
  "gnss.altitude": 400,
  "gnss.speed": 3,
  "ecg.hr": null,
};

it.each([
  ["more samples than one page", "/api/v1/devices/1/preprocessed-data/?start=1", true],
  ["no other page", null, undefined],
])("samples of a device say that they end early: %s", async (_, next, endsEarly) => {
  const body = { count: 30_000, next, previous: null, results: [sample] };
  const api = { get: async (url: string) => ({ body, source: { url, version: null } }) };
  const given = { device: 1, from: FROM, to: "2024-03-01T10:15:00Z" };
  const answer = await deviceSamples.answer(given, api as unknown as OwnApi);
  expect(answer.ends_early).toBe(endsEarly);
  expect(answer.samples_in_the_window).toBe(30_000);
});
