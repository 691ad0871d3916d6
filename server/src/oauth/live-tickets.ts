import { type Static, Type } from "@sinclair/typebox";
import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import { hashTicket, newToken } from "../domain/secrets/tokens.js";
import { preparedOnce, type Queries } from "../store/connection/database.js";
import { accessTokens, liveTickets } from "../store/schema.js";
import { DateTimeOut } from "../wire/types.js";

/** Maximum number of valid tickets of a token. */
const MAX_TICKETS = 20;

/**
 * Lifetime of a ticket. It suffices for a request that follows immediately, and makes a ticket in the log of a proxy
 * useless.
 */
const TICKET_LIFETIME_MS = 30_000;

/** Query parameter that replaces a token. */
export const TicketParameter = Type.Optional(
  Type.String({
    description: "A ticket from `/api/v2/live-tickets/`, instead of the header `Authorization`",
  }),
);

export const LiveTicket = Type.Object(
  {
    ticket: Type.String({ description: "The value of the query parameter `ticket`" }),
    expires_at: DateTimeOut(),
  },
  {
    $id: "LiveTicket",
    examples: [
      { ticket: "nq1U0mVZlc7yLrB3dYpD5oTgkXfHsWa2QeJi8KMxRtE", expires_at: "2024-01-01T06:00:30.000Z" },
    ],
  },
);

/**
 * Creates a ticket with the rights of the token of the caller.
 * @throws ServiceError `unauthenticated` if the token has just ended; `throttled` if it has too many valid tickets
 */
export async function createLiveTicket({
  queries,
  clock,
  tokenHash,
}: Context): Promise<Static<typeof LiveTicket>> {
  const ticket = newToken();
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + TICKET_LIFETIME_MS);
  const ofToken = eq(liveTickets.tokenHash, tokenHash ?? new Uint8Array());
  await queries.delete(liveTickets).where(and(ofToken, lte(liveTickets.expiresAt, now)));
  // Concurrent requests may create a few more.
  if ((await queries.$count(liveTickets, ofToken)) >= MAX_TICKETS) throw errors.throttled(TICKET_LIFETIME_MS);
  // The row of the token is locked, because its deletion must remove the ticket.
  const { rowCount } = await queries.execute(sql`
    INSERT INTO ${liveTickets} (ticket_hash, token_hash, expires_at)
    SELECT ${sql.param(hashTicket(ticket), liveTickets.ticketHash)}::bytea, token_hash, ${expiresAt}::timestamptz FROM ${accessTokens}
    WHERE token_hash = ${sql.param(tokenHash ?? new Uint8Array(), accessTokens.tokenHash)} FOR KEY SHARE`);
  if (rowCount === 0) throw errors.unauthenticated(true);
  return { ticket, expires_at: expiresAt.toISOString() };
}

const redeemed = preparedOnce((queries) =>
  queries
    .delete(liveTickets)
    .where(
      and(
        eq(liveTickets.ticketHash, sql.placeholder("ticketHash")),
        gt(liveTickets.expiresAt, sql.placeholder("now")),
      ),
    )
    .returning({ tokenHash: liveTickets.tokenHash })
    .prepare("redeem_live_ticket"),
);

/** Redeems a ticket. @returns hash of the token that created it; undefined if the ticket is not valid now */
export async function redeemLiveTicket(
  queries: Queries,
  ticket: string,
  now: Date,
): Promise<Uint8Array | undefined> {
  const [found] = await redeemed(queries).execute({ ticketHash: hashTicket(ticket), now });
  return found?.tokenHash;
}
