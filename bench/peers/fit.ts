import { Decoder, Encoder, type FileIdMesg, type RecordMesg, Stream } from "@garmin/fitsdk";
import FitParser from "fit-file-parser";
import { SESSION_START_MS, walk } from "../data.js";

/** Degrees are counted in semicircles: 2^31 of them are 180 degrees. */
const SEMICIRCLES_PER_DEGREE = 2 ** 31 / 180;

/** Global message numbers of the FIT profile. */
const FILE_ID = 0;
const RECORD = 20;

/** What a decoder makes of one record, as far as the CSV has it too. */
export interface FitRecord {
  timestampMs: number;
  latitude: number;
  longitude: number;
  altitude: number;
  speed: number;
  hr: number | null;
}

/** The first `rows` epochs of the session as a FIT activity: one record message per epoch. */
export function makeFitFile(rows: number): Uint8Array<ArrayBuffer> {
  const encoder = new Encoder();
  const fileId: FileIdMesg = {
    type: "activity",
    manufacturer: "development",
    timeCreated: new Date(SESSION_START_MS),
  };
  encoder.onMesg(FILE_ID, fileId);
  let written = 0;
  for (const epoch of walk()) {
    if (written++ === rows) break;
    const record: RecordMesg = {
      // A FIT timestamp is a whole second.
      timestamp: new Date(epoch.secondMs),
      positionLat: Math.round((epoch.latitudeE7 / 1e7) * SEMICIRCLES_PER_DEGREE),
      positionLong: Math.round((epoch.longitudeE7 / 1e7) * SEMICIRCLES_PER_DEGREE),
      enhancedAltitude: epoch.altitudeMm / 1000,
      enhancedSpeed: epoch.speedMmPerS / 1000,
    };
    if (epoch.reading !== null) record.heartRate = epoch.reading.bpm;
    encoder.onMesg(RECORD, record);
  }
  return new Uint8Array(encoder.close());
}

/** A decoder of FIT files: the number of its records, and each of them on demand. */
export type FitPeer = (
  file: Uint8Array<ArrayBuffer>,
) => Promise<{ length: number; record(index: number): FitRecord }>;

export const garminFitSdk: FitPeer = async (file) => {
  const { messages, errors } = new Decoder(Stream.fromArrayBuffer(file.buffer)).read();
  if (errors.length > 0) throw new Error("@garmin/fitsdk could not read its own file", { cause: errors });
  const records = messages.recordMesgs ?? [];
  return {
    length: records.length,
    record(index) {
      const { timestamp, positionLat, positionLong, enhancedAltitude, enhancedSpeed, heartRate } =
        records[index] ?? {};
      return {
        timestampMs: Number(timestamp),
        latitude: Number(positionLat) / SEMICIRCLES_PER_DEGREE,
        longitude: Number(positionLong) / SEMICIRCLES_PER_DEGREE,
        altitude: Number(enhancedAltitude),
        speed: Number(enhancedSpeed),
        hr: heartRate === undefined ? null : Number(heartRate),
      };
    },
  };
};

/** `force: false` makes it check the file's CRC, as the other decoders do. */
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
