/** Provides gateways that stream recordings. */
import { withOwnService } from "./file-service.js";
import { Gateway } from "./gateway.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";

export const START = "2024-03-01T10:00:00.000Z";
export const START_MS = Date.parse(START);

async function streamsOn(s: TestService) {
  const ann = await s.manager();

  const longOwned = (owner = ann) => s.longOwned(owner);

  const stream = (
    { serial_number }: Pick<TestDevice, "serial_number">,
    { recording = "one", offset = 0, by = ann, at = s } = {},
  ) => new Gateway(at.service.url ?? "", serial_number, `recording=${recording}&offset=${offset}`, by.token);

  const stateOf = async ({ serial_number }: TestDevice, recording = "one", by = ann) =>
    (await s.get(`/api/v2/devices/${serial_number}/stream/?recording=${recording}`, by.token)).body;

  /** Returns all samples of a device within an hour as the service returns them. */
  async function samplesOf({ id }: TestDevice, by: TestAccount = ann) {
    const samples: unknown[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const query = `start=${START_MS}&stop=${START_MS + 3_600_000}&limit=25000&page=${page}`;
      const { body } = await s.get(`/api/v1/devices/${id}/preprocessed-data/?${query}`, by.token);
      samples.push(...body.results);
      page = body.next;
    }
    return samples;
  }

  const rangesOf = async ({ id }: TestDevice) =>
    (
      await s.get(
        `/api/v1/devices/${id}/preprocessed-data-ranges/?start=${START_MS}&stop=${START_MS + 3_600_000}`,
        ann.token,
      )
    ).body.results;

  return { s, ann, longOwned, stream, stateOf, samplesOf, rangesOf };
}

/** Creates an `it` with a service and the gateways of its tests. */
export const withStreams = () =>
  withOwnService({ streamStoreMs: 20 }).extend("live", { scope: "file" }, ({ service }) =>
    streamsOn(service),
  );
