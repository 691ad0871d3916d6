import type { Queries } from "../../store/connection/database.js";
import type { Role } from "../../store/schema.js";
import type { Context } from "./context.js";

/** Ids in a path. */
export interface PathIds {
  manager: number;
  athlete: number;
  device: number;
  serial: string;
  device_ownership: number;
  permission: number;
  json_schema: number;
  activity: number;
  webhook: number;
  delivery: number;
  timeframe: number;
  job: string;
  page_session: number;
  token: number;
  application: number;
  session: number;
  recipe: number;
  squad: number;
  member: number;
  assignment: number;
  grant: number;
  invitation: number;
}

/** Options of a lookup. */
export interface Lookup {
  queries: Queries;
  /** Locks the row of the object until the end of the transaction. */
  lock: boolean;
}

/** Defines who may call an operation, and on which objects. */
export interface Rule<P extends keyof PathIds, Target> {
  /** Text for the OpenAPI document. */
  description: string;
  /** Roles that may call the operation; null for anyone. */
  roles: readonly Role[] | null;
  /**
   * Finds the object of the path. Throws `notFound` when it does not exist or is not visible to the caller, and `forbidden`
   * when the caller may see it but not call the operation on it.
   */
  find(ctx: Context, ids: Pick<PathIds, P>, lookup: Lookup): Promise<Target>;
}

export const ALL_ROLES: readonly Role[] = ["MANAGER", "ATHLETE", "ADMINISTRATOR"];
