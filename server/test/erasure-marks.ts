/** Creates personal data that contain a mark, and finds the mark after an erasure. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { TestService } from "./service.js";

/** Returns the tables that contain the mark anywhere in the database, as text or as bytes (in hexadecimal). */
export async function placesOf(s: TestService, mark: string): Promise<string[]> {
  const { queries } = s.store.database;
  const { rows: tables } = await queries.execute<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const { rows } = await queries.execute<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM ${sql.identifier(name)} AS t
        WHERE strpos(lower(t::text), ${mark}) > 0 OR strpos(t::text, ${Buffer.from(mark).toString("hex")}) > 0`,
    );
    if ((rows[0]?.count ?? 0) > 0) places.push(name);
  }
  return places;
}

/** Returns base64 that begins like a JPEG and contains the mark. */
export function pictureOf(mark: string): string {
  const text = `/9j/${mark}`;
  return text.padEnd(Math.ceil(text.length / 4) * 4, "A");
}

/** Returns the emails in the data folder that contain the mark. */
export function mailsOf({ config }: TestService, mark: string): string[] {
  const folder = join(config.dataDir, "mail");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name), "utf8").includes(mark));
}

/** Returns a profile with all fields. Text fields contain the mark, and the numbers occur nowhere else in the database. */
export const profileOf = (mark: string) => ({
  external_id: `${mark}-profile`,
  first_name: `${mark} first`,
  last_name: `${mark} last`,
  nationality: `${mark} nation`,
  profile_picture: pictureOf(mark),
  gender: "X",
  birth_date: "1931-07-04",
  weight: 61.25371,
  height: 1.77319,
});
