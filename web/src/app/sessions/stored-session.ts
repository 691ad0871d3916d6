import type { Client, Resource } from "asi-client";
import type { Player } from "asi-convert/squad";
import type { DeviceRange } from "../../recording/device-range.js";
import type { LookAt } from "../../squad/look-at-item.js";
import { PAGE_ADDRESS } from "../../view/service.js";
import { deviceName } from "../names.js";
import { type LoadedSession, missingPlayers } from "./load-session.js";

type Frame = Resource["Timeframe"];

/** Trackers record ten samples a second. The number affects only the progress bar. */
const SAMPLES_PER_MS = 0.01;
const MOST_PER_PAGE = 3000;

/** The players of a session, with the ranges of the devices they wore. */
export interface Worn {
  players: Player[];
  /** The ranges by the unique name of a player in `files`. */
  ranges: Map<string, DeviceRange>;
}

/** Loads the time frames of an activity with their devices and athletes. @throws ApiError, AwayError */
export async function loadFrames(client: Client, activity: number, signal: AbortSignal): Promise<Frame[]> {
  const query = { activity, with_device: true, with_athlete: true, limit: MOST_PER_PAGE };
  const frames: Frame[] = [];
  for await (const frame of client.list("/api/v1/timeframes/", { params: { query }, signal })) {
    frames.push(frame);
  }
  return frames;
}

/** Returns the players and the devices that they wore during the whole session, from their time frames in the table of the service. */
export function wornIn({ figures }: Pick<LoadedSession, "figures">, frames: readonly Frame[]): Worn {
  const byId = new Map(frames.map((frame) => [frame.id, frame]));
  const ranges: Worn["ranges"] = new Map();
  const players = figures.rows
    .filter(({ period }) => period === null)
    .map(({ player, number, position, timeframes, left_out_devices }, i): Player => {
      // the view names the devices that are left out
      const all = [{ timeframes }, ...left_out_devices].flatMap((one) => one.timeframes);
      const own = all.flatMap((id) => byId.get(id) ?? []);
      const files = own.flatMap((frame) => {
        const range = rangeOf(frame);
        if (range === null) return [];
        // the name contains the row number, because two names may be identical in a file
        const name = `${i + 1} ${player}, ${range.device.serial}, ${frame.start_time.slice(11, 19)}`;
        ranges.set(name, range);
        return [name];
      });
      return { ...NOBODY, ...thresholdsIn(own[0]), name: player, number, position, files, line: i };
    });
  return { players, ranges };
}

/** A player without thresholds. Ranges have names, because two players may wear one tracker. */
const NOBODY: Player = {
  name: "",
  number: null,
  position: null,
  serials: [],
  files: [],
  maxHr: null,
  restHr: null,
  highSpeedMPerS: null,
  sprintMPerS: null,
  maxSpeedMPerS: null,
  aerobicSpeedMPerS: null,
  birthDate: null,
  massKg: null,
  line: 0,
};

const numberOrNull = (value: unknown) => (typeof value === "number" ? value : null);

/** Returns the thresholds that were valid at the time of the time frame. */
function thresholdsIn(frame: Frame | undefined): Partial<Player> {
  if (frame === undefined) return {};
  const { max_hr, sprint_threshold, hid_thresholds } = frame.params;
  return {
    maxHr: numberOrNull(max_hr),
    sprintMPerS: numberOrNull(sprint_threshold),
    highSpeedMPerS: Array.isArray(hid_thresholds) ? numberOrNull(hid_thresholds[1]) : null,
    birthDate: frame.athlete_details?.athlete_profile.birth_date ?? null,
  };
}

function rangeOf({ device_details, start_time, end_time }: Frame): DeviceRange | null {
  if (device_details === undefined) return null;
  const { id, serial_number, device_type } = device_details;
  const [startMs, stopMs] = [Date.parse(start_time), Date.parse(end_time)];
  return {
    serviceAddress: PAGE_ADDRESS,
    device: { id, serial: serial_number, name: deviceName(device_details), type: device_type },
    startMs,
    stopMs,
    size: Math.round((stopMs - startMs) * SAMPLES_PER_MS),
  };
}

/** Returns the players without data, for the list in the squad view. Only owners can open that view. */
export const missingIn = ({ figures }: Pick<LoadedSession, "figures">): LookAt[] =>
  missingPlayers(figures, "owner").map(({ player, why }, i) => ({
    key: `missing ${i}`,
    sign: "share",
    where: player,
    what: "Left out.",
    meaning: `${player} ${why}`,
    actions: [],
  }));
