import type { Client, Resource } from "asi-client";
import { useState } from "preact/hooks";
import { useKept } from "../../view/kept-state.js";
import type { Settings, Zone } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { dateText, dayAfter, mondayOf, readDate } from "../parts/days.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { Invitations } from "../squads/invitations.js";
import { type Invitation, loadInvitations } from "../squads/roles.js";
import type { ViewProps } from "../view.js";
import { FoundSessions } from "./found-sessions.js";
import { type Known, loadSquads, type SquadSession } from "./load-session.js";
import { clock, kindName, playerCount, playersText } from "./session-words.js";
import { type SuggestedSession, suggestedSessions } from "./suggested.js";

const PER_REQUEST = 1000;

interface Month {
  sessions: readonly SquadSession[];
  suggested: readonly SuggestedSession[];
}

/** The sessions of a month by day. A search finds them in all months. */
export function SessionCalendar(props: ViewProps) {
  const { client, query, settings } = props;
  const zone = settings.zone.value;
  const [search, setSearch] = useKept("search", "");
  const [nowMs] = useState(Date.now);
  const firstMs = firstOfMonth(readDate(query.get("month"), zone) ?? nowMs, zone);
  const known = useRequest("squads and members", (signal) => loadKnown(client, signal));
  return (
    <>
      <div class="view-head">
        <h1>Sessions</h1>
        <input
          type="search"
          class="search"
          aria-label="Search sessions"
          placeholder="Search sessions"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <a class="button primary" href="#/sessions/new">
          New session…
        </a>
      </div>
      <Requested request={known} what="the squads">
        {(found) => (
          <>
            <Invitations client={client} invitations={found.invitations} onChange={known.reload} />
            {/* the keys also load the sessions of a squad after the user accepts an invitation to it */}
            {search.trim() === "" ? (
              <MonthView
                key={`${firstMs} ${zone} ${found.squads.size}`}
                {...props}
                firstMs={firstMs}
                known={found}
              />
            ) : (
              <FoundSessions
                key={found.squads.size}
                client={client}
                known={found}
                typed={search}
                zone={zone}
              />
            )}
          </>
        )}
      </Requested>
    </>
  );
}

async function loadKnown(
  client: Client,
  signal: AbortSignal,
): Promise<Known & { invitations: readonly Invitation[] }> {
  const members: Resource["Member"][] = [];
  const params = { query: { limit: PER_REQUEST } };
  for await (const one of client.list("/api/v2/members/", { params, signal })) members.push(one);
  const [squads, invitations] = await Promise.all([
    loadSquads(client, signal),
    loadInvitations(client, signal),
  ]);
  return { squads: new Map(squads.map(({ id, name }) => [id, name])), members, invitations };
}

function firstOfMonth(ms: number, zone: Zone): number {
  const day = Number(dateText(ms, zone).slice(8));
  return dayAfter(ms, 1 - day, zone);
}

/** Returns the beginning of the month that is `months` later, or earlier if the number is negative. The number must be small. */
const monthAfter = (firstMs: number, months: number, zone: Zone): number =>
  firstOfMonth(dayAfter(firstMs, 15 + 30 * months, zone), zone);

const monthName = (ms: number, zone: Zone): string =>
  new Date(ms).toLocaleDateString("en-GB", {
    month: "long",
    year: "numeric",
    ...(zone === "utc" ? { timeZone: "UTC" } : {}),
  });

interface MonthProps extends ViewProps {
  firstMs: number;
  known: Known;
}

function MonthView({ client, settings, firstMs, known }: MonthProps) {
  const zone = settings.zone.value;
  const nextMs = monthAfter(firstMs, 1, zone);
  const fromMs = mondayOf(firstMs, zone);
  const toMs = dayAfter(mondayOf(nextMs - 1, zone), 7, zone);
  const request = useRequest(`sessions ${fromMs} ${toMs}`, async (signal): Promise<Month> => {
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    const sessions: SquadSession[] = [];
    const all = async () => {
      const params = { query: { from, to, limit: PER_REQUEST } };
      for await (const one of client.list("/api/v2/sessions/", { params, signal })) sessions.push(one);
    };
    const [suggested] = await Promise.all([suggestedSessions(client, from, to, signal), all()]);
    return { sessions: sessions.sort((a, b) => a.start_time.localeCompare(b.start_time)), suggested };
  });
  const link = (ms: number) => `#/sessions?month=${dateText(ms, zone)}`;
  return (
    <section class="panel padded" aria-label="Calendar">
      <div class="month-head">
        <h2 aria-live="polite">{monthName(firstMs, zone)}</h2>
        <nav class="weeks" aria-label="Months">
          <a class="button" href={link(monthAfter(firstMs, -1, zone))}>
            <span aria-hidden="true">{"‹\u00a0"}</span>Earlier
          </a>
          <a class="button" href={link(nextMs)}>
            Later<span aria-hidden="true">{"\u00a0›"}</span>
          </a>
          <a class="button" href="#/sessions">
            Today
          </a>
        </nav>
        <span class="muted">Times in {zoneName(zone)}.</span>
      </div>
      <Requested request={request} what="the sessions">
        {(month) => (
          <Days
            {...month}
            known={known}
            settings={settings}
            days={daysFrom(fromMs, toMs, zone)}
            firstMs={firstMs}
          />
        )}
      </Requested>
    </section>
  );
}

function daysFrom(fromMs: number, toMs: number, zone: Zone): number[] {
  const days: number[] = [];
  for (let ms = fromMs; ms < toMs; ms = dayAfter(ms, 1, zone)) days.push(ms);
  return days;
}

const dayName = (ms: number, zone: Zone, options: Intl.DateTimeFormatOptions): string =>
  new Date(ms).toLocaleDateString("en-GB", { ...options, ...(zone === "utc" ? { timeZone: "UTC" } : {}) });

interface DaysProps extends Month {
  known: Known;
  settings: Settings;
  days: readonly number[];
  firstMs: number;
}

function Days({ sessions, suggested, known, settings, days, firstMs }: DaysProps) {
  const zone = settings.zone.value;
  const today = dateText(Date.now(), zone);
  const month = dateText(firstMs, zone).slice(0, 7);
  const onDay = (date: string) => (one: { start_time: string }) =>
    dateText(Date.parse(one.start_time), zone) === date;
  return (
    <>
      <ol class="month" aria-label="Days">
        {days.map((ms) => {
          const date = dateText(ms, zone);
          const own = sessions.filter(onDay(date));
          const without = suggested.filter(onDay(date));
          const isEmpty = own.length + without.length === 0;
          return (
            <li
              key={date}
              class={`month-day${isEmpty ? " is-empty" : ""}${date.startsWith(month) ? "" : " is-outside"}`}
              aria-current={date === today ? "date" : undefined}
            >
              <h3>
                <span class="weekday">{dayName(ms, zone, { weekday: "short" })}</span>{" "}
                {dayName(ms, zone, { day: "numeric", month: "short" })}
                {date === today ? <span class="muted"> today</span> : null}
              </h3>
              {isEmpty ? <p class="unseen">No session</p> : null}
              {isEmpty ? null : (
                <ul>
                  {own.map((session) => (
                    <li key={session.id}>
                      <SessionItem session={session} known={known} zone={zone} />
                    </li>
                  ))}
                  {without.map((one) => (
                    <li key={one.start_time}>
                      <SuggestedItem suggested={one} zone={zone} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ol>
      {sessions.length + suggested.length > 0 ? null : (
        <Nothing title="No sessions in this month">
          <p>
            A session is a match or training of a squad. <a href="#/recordings">Upload the recordings</a> of
            the trackers, then <a href="#/sessions/new">make a session</a>.
          </p>
        </Nothing>
      )}
    </>
  );
}

interface ItemProps {
  session: SquadSession;
  known: Known;
  zone: Zone;
}

function SessionItem({ session, known, zone }: ItemProps) {
  return (
    <a class={`session-item is-${session.kind}`} href={`#/sessions/${session.id}`}>
      <strong>{session.name}</strong>
      <span>
        {clock(session.start_time, zone)} {kindName(session.kind)}
      </span>
      <span class="muted">
        {known.squads.get(session.squad) ?? "A squad"}, {playersText(playerCount(session, known.members))}
      </span>
    </a>
  );
}

function SuggestedItem({ suggested, zone }: { suggested: SuggestedSession; zone: Zone }) {
  const { start_time, end_time, squad, devices } = suggested;
  const from = encodeURIComponent(start_time);
  const to = encodeURIComponent(end_time);
  const ofSquad = squad == null ? "" : `&squad=${squad}`;
  return (
    <a class="session-item is-suggested" href={`#/sessions/new?from=${from}&to=${to}${ofSquad}`}>
      <strong>Make a session</strong>
      <span>
        {clock(start_time, zone)}–{clock(end_time, zone)}
      </span>
      <span class="muted">{devices.length === 1 ? "1 device" : `${devices.length} devices`} with data</span>
    </a>
  );
}
