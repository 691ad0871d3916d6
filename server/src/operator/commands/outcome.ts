import type { Context } from "../../domain/change/context.js";
import type { Database } from "../../store/connection/database.js";
import type { Arguments } from "./arguments.js";

/** Context of a command. */
export interface OperatorContext extends Context {
  database: Database;
}

/** Result of a command as JSON; the command line can also print it as lines. A list has `items` and `next`. */
export type Outcome = Record<string, unknown>;

export type Commands = Record<string, (ctx: Context, args: Arguments) => Promise<Outcome>>;
