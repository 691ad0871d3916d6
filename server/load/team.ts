/** Accounts of the match day, created by operations of the API. */
import { createClient, obtainToken, type Resource, unwrap } from "asi-client";
import { MATCH_MS, type Match, type Session } from "./truth.js";
import { newWire, type Wire } from "./wire.js";

export interface Device {
  id: number;
  serial: string;
  /** Start time of its first match, ms since 1970. */
  firstStartMs: number;
  /** Loaded matches, ascending. */
  matches: readonly Match[];
  /** Matches being loaded, which responses may include. */
  loading: Match | null;
}

export interface Timeframe {
  id: number;
  device: number;
  match: Match;
}

/** A coach with devices, athletes and activities. */
export interface Team {
  id: number;
  username: string;
  token: string;
  devices: readonly Device[];
  athlete: number;
  timeframeSchema: number;
  /** Activity with time frames of the matches; its webhook gets events of time frames. */
  match: { activity: number; webhook: number };
  /** Activity that is renamed; its webhook gets events of the activity, but none of its time frames. */
  training: { activity: number; webhook: number };
  /** Time frame of the match activity; the id is unknown until the response. */
  timeframes: readonly Timeframe[];
  creating: Match | null;
}

export interface Club {
  url: string;
  oauth: { client_id: string; client_secret: string };
  /** Address of the webhook receiver. */
  receiverUrl: string;
  secret: string;
}

/**
 * Maximum number of matches of a device. All of them must be within the day by which a device may be ahead of the
 * service.
 */
export const MATCHES_PER_DEVICE = 20;
const BREAK_MS = 15 * 60_000;
const FIRST_BREAK_MS = 60_000;

/** Returns the match of a device with this number, counted from 0. After the last one, the first one repeats. */
export function matchOf(device: Device, number: number, sessions: readonly Session[]): Match {
  const place = number % MATCHES_PER_DEVICE;
  const session = sessions[(device.id + place) % sessions.length];
  if (session === undefined) throw new Error("There is no session");
  return { startMs: device.firstStartMs + place * (MATCH_MS + BREAK_MS), session };
}

export const serialOf = (team: number, device: number) => `LOAD-${team}-${device}`;

/** Registers an account and obtains its token. */
export async function signUp({ url, oauth }: Club, username: string) {
  const anyone = createClient({ baseUrl: url });
  const password = `a passphrase of ${username}`;
  const account = await unwrap(
    anyone.POST("/api/v1/managers/", {
      params: { query: { create_default_athlete: true } },
      body: { username, password, email: `${username}@example.org`, athlete_profile: {} },
    }),
  );
  const { access_token } = await obtainToken({ baseUrl: url }, { ...oauth, username, password });
  return { id: account.id, username, token: access_token };
}

export async function newTeam(club: Club, index: number, devicesEach: number): Promise<Team> {
  const account = await signUp(club, `coach-${index}`);
  const { asi }: Wire = newWire(club.url, account.token);
  const devices: Device[] = [];
  for (let i = 0; i < devicesEach; i++) {
    const serial = serialOf(index, i);
    const { id } = await unwrap(
      asi.POST("/api/v1/devices/take-ownership/", { body: { serial_number: serial, device_name: serial } }),
    );
    const firstStartMs = Math.ceil((Date.now() + FIRST_BREAK_MS) / 1000) * 1000;
    devices.push({ id, serial, firstStartMs, matches: [], loading: null });
  }
  const schemas: Resource["JsonSchema"][] = [];
  for await (const schema of asi.list("/api/v1/json-schemas/")) schemas.push(schema);
  const schemaId = (name: string) => schemas.find((schema) => schema.name === name)?.id ?? 0;
  const { results: athletes } = await unwrap(asi.GET("/api/v1/athletes/"));
  const newActivity = async (name: string, events: { activity: boolean; timeframes: boolean }) => {
    const { id: activity } = await unwrap(
      asi.POST("/api/v1/activities/", {
        body: {
          name,
          json: { sport: "soccer" },
          json_schema: schemaId("activity_soccer"),
          owner: account.id,
        },
      }),
    );
    const { id: webhook } = await unwrap(
      asi.POST("/api/v1/activities/{activity}/webhooks/", {
        params: { path: { activity } },
        body: {
          webhook_url: club.receiverUrl,
          secret_token: club.secret,
          activity_events: events.activity,
          timeframes_events: events.timeframes,
        },
      }),
    );
    return { activity, webhook };
  };
  return {
    ...account,
    devices,
    athlete: athletes[0]?.id ?? 0,
    timeframeSchema: schemaId("timeframe_soccer"),
    match: await newActivity("Match", { activity: false, timeframes: true }),
    training: await newActivity("Training", { activity: true, timeframes: false }),
    timeframes: [],
    creating: null,
  };
}
