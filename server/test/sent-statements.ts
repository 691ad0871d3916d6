import pg from "pg";
import { PreparingClient } from "../src/store/connection/preparing-client.js";

/**
 * Returns the distinct texts of all statements that pools of services in this process send during `work`, with their parameters.
 */
export async function statementsOf(work: () => Promise<void>): Promise<Map<string, readonly unknown[]>> {
  const found = new Map<string, readonly unknown[]>();
  const { query } = pg.Client.prototype;
  const noting = function (this: pg.Client, ...sent: unknown[]) {
    const [statement, values] = sent;
    const { text, values: own } =
      typeof statement === "string" ? { text: statement } : (statement as pg.QueryConfig);
    const parameters = Array.isArray(values) ? values : (own ?? []);
    if (text !== undefined && this instanceof PreparingClient) found.set(text, parameters);
    return Reflect.apply(query, this, sent);
  };
  pg.Client.prototype.query = noting as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return found;
}
