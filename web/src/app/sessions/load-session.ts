import { ApiError, type Client, type Resource, unwrap } from "asi-client";
import { loadInvitations, mayEdit, roleIn, type SquadRole } from "../squads/roles.js";

export type SquadSession = Resource["SquadSession"];
type Figures = Resource["SessionFigures"];
type Rows = Resource["SessionPeriods"];
type LeftOut = Resource["SessionFigures"]["left_out"][number];

const MOST_PER_PAGE = 1000;

/** The squads and members that are needed to describe sessions. */
export interface Known {
  squads: ReadonlyMap<number, string>;
  members: readonly Resource["Member"][];
}

/** A session with its table and periods. */
export interface LoadedSession {
  session: SquadSession;
  squad: string;
  /** How the user has access to the squad: as owner or by an invitation. */
  role: SquadRole;
  figures: Resource["SessionFigures"];
  periods: Resource["SessionPeriods"];
  /** The entity tag of the periods, which a request to replace them must contain. */
  periodsTag: string | null;
}

/**
 * @param wait how long to wait for figures in progress, in seconds; by default until all are computed
 * @throws ApiError, AwayError
 */
export async function loadSession(
  client: Client,
  id: number,
  signal: AbortSignal,
  wait?: number,
): Promise<LoadedSession> {
  const path = { session: id };
  const init = { params: { path }, signal };
  const query = wait === undefined ? {} : { wait };
  const [invitations, session, figures, { periods, tag }] = await Promise.all([
    loadInvitations(client, signal),
    unwrap(client.GET("/api/v2/sessions/{session}/", init)),
    unwrap(client.GET("/api/v2/sessions/{session}/figures/", { params: { path, query }, signal })),
    client.GET("/api/v2/sessions/{session}/periods/", init).then(({ data, error, response }) => {
      if (data === undefined) throw new ApiError(response, error);
      // the service returns texts only if the request prefers CSV
      return { periods: data as Rows, tag: response.headers.get("ETag") };
    }),
  ]);
  const params = { path: { squad: session.squad } };
  const squad = await unwrap(client.GET("/api/v2/squads/{squad}/", { params, signal }));
  const role = roleIn(invitations, session.squad);
  return { session, squad: squad.name, role, figures: figures as Figures, periods, periodsTag: tag };
}

/** Loads the squads that the manager can see. @throws ApiError, AwayError */
export async function loadSquads(client: Client, signal: AbortSignal): Promise<Resource["Squad"][]> {
  const found: Resource["Squad"][] = [];
  const params = { query: { limit: MOST_PER_PAGE } };
  for await (const squad of client.list("/api/v2/squads/", { params, signal })) found.push(squad);
  return found;
}

/** Loads the squads for which the manager can create sessions. @throws ApiError, AwayError */
export async function loadEditableSquads(client: Client, signal: AbortSignal): Promise<Resource["Squad"][]> {
  const [squads, invitations] = await Promise.all([
    loadSquads(client, signal),
    loadInvitations(client, signal),
  ]);
  return squads.filter(({ id }) => mayEdit(roleIn(invitations, id)));
}

/** Maps the ids of the athletes in a session to their names. */
export const playersIn = ({ rows, left_out, computing }: Figures): Map<number, string> =>
  new Map([...rows, ...left_out, ...computing].map(({ athlete, player }) => [athlete, player]));

const NOT_COMPUTABLE = (when: string) =>
  `has samples ${when} that could not be read, or more than 2 million.`;

const LIMIT_REACHED = (when: string) =>
  `is not complete ${when}, because the session or the account would have too many time frames. Remove periods or players.`;

const SAMPLES_REMOVED = (when: string) =>
  `has samples ${when} that are no longer stored. Figures from before remain, with the former thresholds and devices.`;

const REASONS: Record<LeftOut["reason"], (when: string) => string> = {
  no_device: (when) => `has no device of yours ${when}. Assign the device that this player wore.`,
  no_permission: (when) =>
    `has not given you the permission “Change” for all of the time ${when}. Ask the player for it.`,
  no_read_permission: (when) =>
    `has not given you the permission “See” for all of the time ${when}. Ask the player for it.`,
  not_computable: NOT_COMPUTABLE,
  limit_reached: LIMIT_REACHED,
  samples_removed: SAMPLES_REMOVED,
};

const REASONS_OF_OTHERS: typeof REASONS = {
  no_device: (when) => `has no device ${when}.`,
  no_permission: (when) =>
    `has not given the owner of the squad the permission “Change” for all of the time ${when}.`,
  no_read_permission: (when) =>
    `has not given the owner of the squad the permission “See” for all of the time ${when}.`,
  not_computable: NOT_COMPUTABLE,
  limit_reached: LIMIT_REACHED,
  samples_removed: SAMPLES_REMOVED,
};

/** A player without data in a session or in some of its periods. */
export interface MissingPlayer {
  player: string;
  /** A predicate that forms a sentence with the name before it. */
  why: string;
}

/** Returns the players without data, with one entry for each reason. */
export function missingPlayers(
  { left_out }: Pick<Resource["SessionFigures"], "left_out">,
  role: SquadRole,
): MissingPlayer[] {
  const reasons = role === "owner" ? REASONS : REASONS_OF_OTHERS;
  const found = new Map<string, { player: string; reason: LeftOut["reason"]; periods: string[] }>();
  for (const { athlete, player, period, reason } of left_out) {
    const key = `${athlete} ${reason}`;
    const known = found.get(key) ?? { player, reason, periods: [] };
    found.set(key, known);
    if (period !== null) known.periods.push(period);
  }
  const whole = new Set(
    left_out.flatMap(({ athlete, period, reason }) => (period === null ? `${athlete} ${reason}` : [])),
  );
  return [...found].map(([key, { player, reason, periods }]) => ({
    player,
    why: reasons[reason](whole.has(key) ? "in this session" : `in ${periods.join(" and ")}`),
  }));
}
