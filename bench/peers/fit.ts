import FitParser from "fit-file-parser";

/** A decoded record with only the values that the CSV contains. */
export interface FitRecord {
  timestampMs: number;
  latitude: number;
  longitude: number;
  altitude: number;
  speed: number;
  hr: number | null;
}

/** Decodes a FIT file. Returns the number of records, and a function that returns one of them. */
export type FitPeer = (
  file: Uint8Array<ArrayBuffer>,
) => Promise<{ length: number; record(index: number): FitRecord }>;

/** With `force: false`, it checks the CRC of the file, like the other decoders. */
export const fitFileParser: FitPeer = async (file) => {
  const { records = [] } = await new FitParser({ mode: "list", force: false }).parseAsync(file.buffer);
  return {
    length: records.length,
    record(index) {
      const { timestamp, position_lat, position_long, enhanced_altitude, enhanced_speed, heart_rate } =
        records[index] ?? {};
      return {
        timestampMs: new Date(timestamp ?? Number.NaN).getTime(),
        latitude: Number(position_lat),
        longitude: Number(position_long),
        altitude: Number(enhanced_altitude),
        speed: Number(enhanced_speed),
        hr: heart_rate === undefined ? null : Number(heart_rate),
      };
    },
  };
};
