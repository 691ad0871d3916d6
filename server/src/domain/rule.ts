import type { Queries } from "../store/database.js";
import type { Role } from "../store/schema.js";
import type { Context } from "./context.js";

/** Ids that a path can carry. */
export interface PathIds {
  manager: number;
  athlete: number;
  device: number;
  device_ownership: number;
  permission: number;
  json_schema: number;
  activity: number;
  webhook: number;
  delivery: number;
  timeframe: number;
  job: string;
}

/** How an object is looked up. */
export interface Lookup {
  queries: Queries;
  /** Lock the object's row until the end of the transaction. */
  lock: boolean;
}

/** Who may call an operation, and on which objects. */
export interface Rule<P extends keyof PathIds, Target> {
  /** In words, for the OpenAPI document. */
  description: string;
  /** Null: anyone. Otherwise the roles that may call. */
  roles: readonly Role[] | null;
  /**
   * Finds the object of the path. Throws `notFound` when it is not there or not visible to the caller, `forbidden` when
   * it is but the caller has no right on it.
   */
  find(ctx: Context, ids: Pick<PathIds, P>, lookup: Lookup): Promise<Target>;
}

export const ALL_ROLES: readonly Role[] = ["MANAGER", "ATHLETE", "ADMINISTRATOR"];
