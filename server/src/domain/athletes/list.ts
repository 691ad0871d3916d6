import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, gte, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts } from "../../store/schema.js";
import { ordering, PageQuery, Query } from "../../wire/types.js";
import type { Account } from "../accounts/find.js";
import { toAthlete } from "../accounts/resource.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { contains, matchesSearch, orderBy } from "../lists/listing.js";
import { streamedPage } from "../lists/streamed-page.js";
import { hasActive } from "../permissions/coverage.js";
import { requireReadable } from "./rules.js";

const ORDERINGS = {
  username: accounts.username,
  email: accounts.email,
  external_id: accounts.externalId,
  first_name: accounts.firstName,
  last_name: accounts.lastName,
  gender: accounts.gender,
  birthdate: accounts.birthDate,
  managed_by: accounts.managedBy,
};

/** Filters of the list; the operations on one athlete accept them too. */
export const AthleteFilters = Type.Object({
  search: Query.text("Text in external_id, username, email, last_name or first_name"),
  email: Query.text("Contains"),
  username: Query.text("Contains"),
  external_id: Query.text("Contains"),
  first_name: Query.text("Contains"),
  last_name: Query.text("Contains"),
  gender: Query.text("M, F or X, in any letter case"),
  managed_by: Query.integer("Id of the manager who manages the athlete"),
  is_managed: Query.boolean("true: only managed athletes; false: only other athletes"),
  birthdate_from: Query.date("Born on or after"),
  birthdate_to: Query.date("Born on or before"),
});

export const AthleteQuery = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(ORDERINGS)),
  ...AthleteFilters.properties,
});

export type Filters = StaticDecode<typeof AthleteFilters>;

const matches = (filters: Filters): SQL | undefined =>
  and(
    eq(accounts.role, "ATHLETE"),
    contains(accounts.email, filters.email),
    contains(accounts.username, filters.username),
    contains(accounts.externalId, filters.external_id),
    contains(accounts.firstName, filters.first_name),
    contains(accounts.lastName, filters.last_name),
    filters.gender === undefined ? undefined : eq(accounts.gender, filters.gender.toUpperCase()),
    filters.managed_by === undefined ? undefined : eq(accounts.managedBy, filters.managed_by),
    filters.is_managed === undefined
      ? undefined
      : (filters.is_managed ? isNotNull : isNull)(accounts.managedBy),
    filters.birthdate_from === undefined ? undefined : gte(accounts.birthDate, filters.birthdate_from),
    filters.birthdate_to === undefined ? undefined : lte(accounts.birthDate, filters.birthdate_to),
    matchesSearch(filters.search, [
      accounts.externalId,
      accounts.username,
      accounts.email,
      accounts.lastName,
      accounts.firstName,
    ]),
  );

/** Lists the athletes for whom the caller has an active READ permission. */
export async function listAthletes(ctx: Context, query: StaticDecode<typeof AthleteQuery>) {
  const { queries, caller, clock } = ctx;
  const readable = hasActive(queries, caller?.id ?? 0, "READ", clock.now());
  return streamedPage(
    ctx,
    {
      table: accounts,
      id: accounts.id,
      large: accounts.profilePicture,
      where: and(readable, matches(query)),
    },
    orderBy(query.ordering, ORDERINGS, accounts.id),
    query,
    async (rows: Account[]) => rows.map(toAthlete),
  );
}

export type AthleteItem = Item<ReturnType<typeof toAthlete>>;

export const athleteItem = (athlete: Account): AthleteItem => item(toAthlete(athlete), athlete.version);

/**
 * Applies the filters of the query to an operation on one athlete.
 * @throws ServiceError `not_found` when the athlete does not match them
 */
export async function requireMatch(queries: Queries, { id }: Account, filters: Filters): Promise<void> {
  const found = await queries
    .select({ one: sql`1` })
    .from(accounts)
    .where(and(eq(accounts.id, id), matches(filters)));
  if (found.length === 0) throw errors.notFound();
}

/** Finds the athlete if it also matches the filters of the list. */
export async function retrieveAthlete(ctx: Context, athlete: Account, filters: Filters) {
  await requireMatch(ctx.queries, athlete, filters);
  return athleteItem(athlete);
}

/** Finds the athlete with this external id. The caller must be this athlete or may read it. */
export async function retrieveAthleteByExternalId(ctx: Context, externalId: string) {
  const [athlete] = await ctx.queries
    .select()
    .from(accounts)
    .where(and(eq(accounts.role, "ATHLETE"), eq(accounts.externalId, externalId)));
  if (athlete === undefined) throw errors.notFound();
  await requireReadable(ctx, athlete, { queries: ctx.queries, lock: false });
  return athleteItem(athlete);
}
