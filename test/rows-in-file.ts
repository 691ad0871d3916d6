import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { DOMParser } from "@xmldom/xmldom";
import FitParser from "fit-file-parser";
import type { FormatName, Row } from "../src/index.js";
import { csvRows } from "./whole.js";

// Independent readers for the files of each format.

/** The rows of a file, in order. */
export async function rowsInFile(format: FormatName, bytes: Uint8Array): Promise<Row[]> {
  return READERS[format](bytes);
}

/** The row with the precision of the format; docs/formats.md lists the limits. */
export function rowIn(format: FormatName, row: Row): Row {
  const longitude = row.longitude === 180 ? -180 : row.longitude;
  switch (format) {
    case "gpx":
    case "tcx":
      return { ...row, longitude };
    case "fit": {
      const steps = row.altitude === null ? -1 : Math.round((row.altitude + 500) * 5);
      return {
        ...row,
        // the greatest value of 32 bits is the invalid value
        longitude: Math.min(longitude, 179.9999998),
        altitude: steps < 0 ? null : Math.round(steps * 200 - 500_000) / 1000,
        hr: row.hr === 255 ? null : row.hr,
      };
    }
    default:
      return row;
  }
}

const READERS: Readonly<Record<FormatName, (bytes: Uint8Array) => Promise<Row[]>>> = {
  csv: async (bytes) => csvRows(textOf(bytes)),
  parquet: (bytes) => duckDbRows(bytes, "parquet", DUCKDB_COLUMNS),
  jsonl: (bytes) =>
    duckDbRows(
      bytes,
      "json",
      DUCKDB_COLUMNS,
      "{timestamp: TIMESTAMPTZ, latitude: DOUBLE, longitude: DOUBLE, altitude: DOUBLE, speed: DOUBLE, hr: UTINYINT}",
    ),
  geojsonl: (bytes) =>
    duckDbRows(
      bytes,
      "json",
      "epoch_ms(properties.time) AS timestamp, geometry.coordinates[2] AS latitude, geometry.coordinates[1] AS longitude, properties.altitude AS altitude, properties.speed AS speed, properties.hr AS hr",
      "{geometry: STRUCT(type VARCHAR, coordinates DOUBLE[]), properties: STRUCT(time TIMESTAMPTZ, altitude DOUBLE, speed DOUBLE, hr UTINYINT)}",
    ),
  geojson: async (bytes) => geojsonRows(textOf(bytes)),
  gpx: async (bytes) => rangesInXml.gpx(textOf(bytes)).flat(),
  tcx: async (bytes) => rangesInXml.tcx(textOf(bytes)).flat(),
  kml: async (bytes) => rangesInXml.kml(textOf(bytes)).flat(),
  fit: fitRows,
};

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

// an exact decimal becomes the nearest double, as in a row
const DUCKDB_COLUMNS =
  "epoch_ms(timestamp) AS timestamp, latitude::DOUBLE AS latitude, longitude::DOUBLE AS longitude, altitude::DOUBLE AS altitude, speed::DOUBLE AS speed, hr";

let connection: Promise<Awaited<ReturnType<DuckDBInstance["connect"]>>> | undefined;

async function duckDbRows(
  bytes: Uint8Array,
  kind: "parquet" | "json",
  columns: string,
  types?: string,
): Promise<Row[]> {
  connection ??= DuckDBInstance.create(":memory:").then((instance) => instance.connect());
  const folder = mkdtempSync(join(tmpdir(), "asi-duckdb-"));
  try {
    const path = join(folder, "rows");
    writeFileSync(path, bytes);
    const source =
      kind === "parquet"
        ? `read_parquet('${path}')`
        : `read_json('${path}', format = 'newline_delimited', columns = ${quoted(types ?? "{}")})`;
    const result = await (await connection).runAndReadAll(`SELECT ${columns} FROM ${source}`);
    return result
      .getRowObjects()
      .map((row) => ({ ...row, timestamp: Number(row.timestamp) }) as unknown as Row);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// {a: TYPE} as {a: 'TYPE'}
function quoted(types: string): string {
  return types.replace(/(\w+): (STRUCT\([^)]*\)|\w+)/g, "$1: '$2'");
}

interface Features {
  features: {
    geometry: { type: "Point" | "LineString"; coordinates: unknown };
    properties: {
      coordinateProperties: {
        times: string[];
        altitudes: (number | null)[];
        speeds: number[];
        heartRates: (number | null)[];
      };
    };
  }[];
}

function geojsonRows(text: string): Row[] {
  return (JSON.parse(text) as Features).features.flatMap(({ geometry, properties }) => {
    const { times, altitudes, speeds, heartRates } = properties.coordinateProperties;
    const positions = (
      geometry.type === "Point" ? [geometry.coordinates] : geometry.coordinates
    ) as number[][];
    return times.map((time, i) => ({
      timestamp: Date.parse(time),
      latitude: positions[i]?.[1] as number,
      longitude: positions[i]?.[0] as number,
      altitude: altitudes[i] ?? null,
      speed: speeds[i] as number,
      hr: heartRates[i] ?? null,
    }));
  });
}

async function fitRows(bytes: Uint8Array): Promise<Row[]> {
  const parser = new FitParser({ mode: "list", force: false });
  const { records = [] } = await parser.parseAsync(new Uint8Array(bytes).buffer);
  return records.map((record) => ({
    timestamp:
      new Date(record.timestamp as unknown as string).getTime() +
      Number((record as { timestamp_ms?: unknown }).timestamp_ms),
    latitude: Math.round(Number(record.position_lat) * 1e7) / 1e7,
    longitude: Math.round(Number(record.position_long) * 1e7) / 1e7,
    altitude:
      record.enhanced_altitude === undefined ? null : Math.round(record.enhanced_altitude * 1000) / 1000,
    speed: Number(record.enhanced_speed),
    hr: record.heart_rate ?? null,
  }));
}

// --- XML, by range ---

export const document = (text: string) => {
  const parser = new DOMParser({
    onError(level, message) {
      throw new Error(`${level}: ${message}`);
    },
  });
  return parser.parseFromString(text, "text/xml");
};

const textsOf = (parent: ReturnType<typeof document> | Element, tag: string): string[] =>
  Array.from(
    (parent as unknown as Document).getElementsByTagName(tag),
    (element) => element.textContent ?? "",
  );

const elementsOf = (parent: ReturnType<typeof document> | Element, tag: string): Element[] =>
  Array.from((parent as unknown as Document).getElementsByTagName(tag));

const numberOf = (texts: readonly string[]) => (texts[0] === undefined ? null : Number(texts[0]));

/** NaN if there is no value, because NaN equals no value of a row. */
const requiredOf = (texts: readonly string[]) => numberOf(texts) ?? Number.NaN;

/** The rows of each range. */
export const rangesInXml = {
  gpx(text: string): Row[][] {
    const tracks = document(text);
    return elementsOf(tracks, "trkseg").map((segment) =>
      elementsOf(segment, "trkpt").map((point) => ({
        timestamp: Date.parse(textsOf(point, "time")[0] ?? ""),
        latitude: Number(point.getAttribute("lat")),
        longitude: Number(point.getAttribute("lon")),
        altitude: numberOf(textsOf(point, "ele")),
        speed: requiredOf(textsOf(point, "gpxtpx:speed")),
        hr: numberOf(textsOf(point, "gpxtpx:hr")),
      })),
    );
  },
  tcx(text: string): Row[][] {
    return elementsOf(document(text), "Lap").map((lap) =>
      elementsOf(lap, "Trackpoint").map((point) => ({
        timestamp: Date.parse(textsOf(point, "Time")[0] ?? ""),
        latitude: requiredOf(textsOf(point, "LatitudeDegrees")),
        longitude: requiredOf(textsOf(point, "LongitudeDegrees")),
        altitude: numberOf(textsOf(point, "AltitudeMeters")),
        speed: requiredOf(textsOf(point, "Speed")),
        hr: numberOf(textsOf(point, "Value")),
      })),
    );
  },
  kml(text: string): Row[][] {
    return elementsOf(document(text), "gx:MultiTrack").map((range) =>
      elementsOf(range, "gx:Track").flatMap((track) => {
        const times = textsOf(track, "when");
        const places = textsOf(track, "gx:coord").map((coordinates) => coordinates.split(" ").map(Number));
        const [speeds, heartRates] = elementsOf(track, "gx:SimpleArrayData").map((array) =>
          textsOf(array, "gx:value"),
        );
        return times.map((time, i) => ({
          timestamp: Date.parse(time),
          latitude: places[i]?.[1] ?? Number.NaN,
          longitude: places[i]?.[0] ?? Number.NaN,
          altitude: places[i]?.[2] ?? null,
          speed: Number(speeds?.[i]),
          hr: heartRates?.[i] === "" ? null : Number(heartRates?.[i]),
        }));
      }),
    );
  },
};
