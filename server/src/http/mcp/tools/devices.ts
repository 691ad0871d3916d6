import { type Static, Type } from "@sinclair/typebox";
import type { RawDataRange, RawDataSample } from "../../../domain/raw-data/resource.js";
import { SAMPLE_LIMITS } from "../../../wire/page-limits.js";
import { ToolError } from "../own-api.js";
import { Given, type Tool, tool } from "../tool.js";

interface PageOf<T> {
  count: number;
  next: number | null;
  results: T[];
}

/** Maximum number of devices and ranges in one result. */
const PAGE = 100;
/** Maximum interval of samples. One page contains all samples of this interval up to 27 Hz. */
const MAX_MINUTES = 15;
const DEFAULT_ROWS = 200;
const MAX_ROWS = 500;

interface Device {
  id: number;
  serial_number: string;
  device_name: string;
  custom_name: string | null;
}

export const listDevices: Tool = tool({
  name: "list_devices",
  title: "List devices",
  description: "Your devices. Available only to their owner, with the scope samples:read.",
  input: Type.Object({
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: `next_page of the previous result; default 1. A page has ${PAGE} devices.`,
      }),
    ),
  }),
  output: { source: "object", devices: "array", total: "integer" },
  async answer({ page }, api) {
    const { body, source } = await api.get<PageOf<Device>>("/api/v1/devices/", { limit: PAGE, page });
    return {
      source,
      devices: body.results.map(({ id, serial_number, device_name, custom_name }) => ({
        ...{ device: id, serial_number, device_name, custom_name },
      })),
      total: body.count,
      next_page: body.next,
    };
  },
});

export const deviceRanges: Tool = tool({
  name: "device_ranges",
  title: "Ranges of a device",
  description:
    "The ranges of a device: times with samples that are at most 5 minutes apart. An interval can have at most 14 days.",
  input: Type.Object({
    device: Given.device(),
    from: Given.time("First time"),
    to: Given.time("Last time"),
  }),
  output: { source: "object", ranges: "array", total: "integer" },
  async answer({ device, from, to }, api) {
    const { body, source } = await api.get<PageOf<Static<typeof RawDataRange>>>(
      `/api/v1/devices/${device}/preprocessed-data-ranges/`,
      { start: from, stop: to, limit: PAGE },
    );
    return { source, device, ranges: body.results, total: body.count };
  },
});

export const deviceSamples: Tool = tool({
  name: "device_samples",
  title: "Samples of a device",
  description: `Samples of at most ${MAX_MINUTES} minutes: time, position, altitude, speed and heart rate. For longer intervals, the first sample of each step is returned; values are not averaged. ends_early is true if only the first ${SAMPLE_LIMITS.max} samples were read.`,
  input: Type.Object({
    device: Given.device(),
    from: Given.time("First time"),
    to: Given.time("Last time"),
    max_rows: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: MAX_ROWS,
        description: `Maximum number of samples; default ${DEFAULT_ROWS}`,
      }),
    ),
  }),
  output: { source: "object", step_ms: "integer", samples: "array", samples_in_the_window: "integer" },
  async answer({ device, from, to, max_rows: most = DEFAULT_ROWS }, api) {
    const spanMs = Date.parse(to) - Date.parse(from);
    if (!(spanMs >= 0 && spanMs <= MAX_MINUTES * 60_000))
      throw new ToolError(
        "invalid_arguments",
        `Give from and to as times with a date, at most ${MAX_MINUTES} minutes apart.`,
      );
    const { body, source } = await api.get<PageOf<Static<typeof RawDataSample>>>(
      `/api/v1/devices/${device}/preprocessed-data/`,
      { start: from, stop: to, limit: SAMPLE_LIMITS.max },
    );
    const stepMs = Math.ceil(spanMs / most);
    const samples: object[] = [];
    let next = Number.NEGATIVE_INFINITY;
    for (const sample of body.results) {
      const ms = sample["gnss.timestamp"];
      if (ms < next || samples.length === most) continue;
      next = Date.parse(from) + (Math.floor((ms - Date.parse(from)) / Math.max(1, stepMs)) + 1) * stepMs;
      samples.push(shown(sample));
    }
    return {
      ...{ source, device, step_ms: stepMs, samples, samples_in_the_window: body.count },
      ...(body.next !== null && { ends_early: true }),
    };
  },
});

const shown = (sample: Static<typeof RawDataSample>) => ({
  time: new Date(sample["gnss.timestamp"]).toISOString(),
  latitude: sample["gnss.latitude"],
  longitude: sample["gnss.longitude"],
  altitude_m: sample["gnss.altitude"],
  speed_m_per_s: sample["gnss.speed"],
  heart_rate_bpm: sample["ecg.hr"],
});
