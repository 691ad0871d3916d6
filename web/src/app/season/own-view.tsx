import { ApiError, type Client, type Resource } from "asi-client";
import { useMemo } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { day } from "../../view/times.js";
import { NO_VALUE } from "../../view/values.js";
import { collected } from "../parts/collected.js";
import { useFirstRows } from "../parts/first-rows.js";
import { Nothing } from "../parts/nothing.js";
import { Records } from "../parts/records.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import {
  comparedIndex,
  entryText,
  figureName,
  NORMAL_RULE,
  panelTicks,
  type SeasonEntry,
  type SeasonPlayer,
  type SquadColumn,
} from "./chart.js";
import { SeasonComputing } from "./season-computing.js";
import { figuresIn, frameOf, loadSeason, type StoredSeason, seasonIn } from "./season-data.js";
import { SeasonKey, SeasonNotes, SeasonPanel } from "./season-panels.js";
import "./own-season.css";

type Squad = Resource["Squad"];

/** Loads the squads of the athlete. The result is null if the service does not show squads to athletes. */
const ownSquads = (client: Client, signal: AbortSignal): Promise<Squad[] | null> =>
  collected(client.list("/api/v2/squads/", { signal })).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  });

/** An athlete's own figures in the sessions of the squads, compared with earlier matches. Figures of other players are excluded. */
export function OwnView({ client, account, settings }: ViewProps) {
  const request = useRequest("own squads", (signal) => ownSquads(client, signal));
  const zone = settings.zone.value;
  return (
    <>
      <h1>My sessions</h1>
      <Requested request={request} what="your squads">
        {(squads) =>
          squads === null ? (
            <Nothing title="This service does not show sessions to athletes.">
              <p>Ask your manager for your figures.</p>
            </Nothing>
          ) : squads.length === 0 ? (
            <Nothing title="You are not in a squad.">
              <p>A manager adds you to a squad. Your sessions then appear here.</p>
            </Nothing>
          ) : (
            squads.map((squad) => (
              <OwnSeason key={squad.id} client={client} squad={squad} athlete={account.id} zone={zone} />
            ))
          )
        }
      </Requested>
    </>
  );
}

interface SeasonProps {
  client: Client;
  squad: Squad;
  athlete: number;
  zone: Zone;
}

function OwnSeason({ client, squad, athlete, zone }: SeasonProps) {
  const request = useRequest(`season ${squad.id}`, (signal) => loadSeason(client, squad.id, signal));
  return (
    <section aria-label={squad.name} class="own-season">
      <h2>{squad.name}</h2>
      <Requested request={request} what="your figures">
        {(stored) => {
          const players = stored.players.filter((player) => player.athlete === athlete);
          const waiting = stored.sessions.filter(
            ({ not_computed, computing }) => not_computed.includes(athlete) && !computing,
          );
          return (
            <>
              <SeasonComputing request={request} />
              {waiting.length === 0 ? null : (
                <p class="note">
                  Your figures of {waiting.map(({ name }) => name).join(", ")} are not computed yet. They
                  appear when your manager opens the table of the session.
                </p>
              )}
              {players.length === 0 ? (
                <Nothing title="You have no figures in this squad yet." />
              ) : (
                <OwnFigures squad={squad.id} stored={{ ...stored, players }} zone={zone} />
              )}
            </>
          );
        }}
      </Requested>
    </section>
  );
}

function OwnFigures({ squad, stored, zone }: { squad: number; stored: StoredSeason; zone: Zone }) {
  const season = useMemo(() => seasonIn(stored), [stored]);
  const columns = useMemo(() => figuresIn(season), [season]);
  const [player] = season.players;
  const now = comparedIndex(season);
  const session = season.sessions[now];
  if (player === undefined || session === undefined) return null;
  return (
    <>
      <p class="season-session">
        <b>
          {session.name}, {day(session.startMs, zone)}
        </b>
        , compared with your last {NORMAL_RULE.matches} matches
      </p>
      <SeasonNotes of={[season, columns, now]} />
      <SeasonKey />
      <div class="season-panels">
        {columns.map((column) => {
          const frame = frameOf(stored, season, { column, now, zone });
          return (
            <SeasonPanel key={column.key} player={player} frame={frame} ticks={panelTicks(frame)}>
              {figureName(column)}
            </SeasonPanel>
          );
        })}
      </div>
      <History squad={squad} stored={stored} player={player} columns={columns} zone={zone} />
    </>
  );
}

/** The sessions in which the athlete has figures, latest first. */
function History({
  squad,
  stored,
  player,
  columns,
  zone,
}: {
  squad: number;
  stored: StoredSeason;
  player: SeasonPlayer;
  columns: readonly SquadColumn[];
  zone: Zone;
}) {
  const own = player.entries.filter(({ row }) => row !== null).reverse();
  const [rows, more] = useFirstRows(own, `rows of squad ${squad}`);
  const kindOf = ({ session }: SeasonEntry) =>
    stored.sessions.find(({ start_time }) => Date.parse(start_time) === session.startMs)?.kind ?? NO_VALUE;
  const dayOf = ({ session }: SeasonEntry) => day(session.startMs, zone);
  return (
    <section class="panel padded" aria-label="History">
      <h3>History</h3>
      <Records
        rows={rows}
        keyOf={({ session }) => session.startMs}
        columns={[
          { name: "Session", of: ({ session }) => session.name },
          { name: "Day", of: dayOf },
          { name: "Kind", of: kindOf },
          ...columns.map((column) => ({
            name: figureName(column),
            of: (entry: SeasonEntry) => entryText(entry, column),
          })),
        ]}
      />
      {more}
    </section>
  );
}
