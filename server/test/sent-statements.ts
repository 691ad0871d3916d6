import pg from "pg";
import { PreparingClient } from "../src/store/connection/preparing-client.js";

/** Returns the distinct texts of all statements sent by the pools of services in this process during `work`. */
export async function statementsOf(work: () => Promise<void>): Promise<string[]> {
  const texts = new Set<string>();
  const { query } = pg.Client.prototype;
  const noting = function (this: pg.Client, ...sent: unknown[]) {
    const [statement] = sent;
    const text = typeof statement === "string" ? statement : (statement as pg.QueryConfig).text;
    if (text !== undefined && this instanceof PreparingClient) texts.add(text);
    return Reflect.apply(query, this, sent);
  };
  pg.Client.prototype.query = noting as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return [...texts];
}
