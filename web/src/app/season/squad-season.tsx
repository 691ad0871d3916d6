import { useSignal } from "@preact/signals";
import type { Client } from "asi-client";
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { Segmented } from "../../parts/segmented.js";
import { useKept } from "../../view/kept-state.js";
import type { Settings, Zone } from "../../view/settings.js";
import { day } from "../../view/times.js";
import { lazily } from "../parts/lazily.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { nameIn, visibleAthletes } from "../people.js";
import { comparedIndex, farthestFirst, figureName, NORMAL_RULE, panelTicks } from "./chart.js";
import type { MissingProps } from "./not-computed.js";
import { SeasonComputing } from "./season-computing.js";
import { FIRST_FIGURE, figuresIn, frameOf, loadSeason, type StoredSeason, seasonIn } from "./season-data.js";
import { SeasonKey, SeasonNotes, SeasonPanel } from "./season-panels.js";

const SeasonTable = lazily(async () => (await import("./season-table.js")).SeasonTable);

interface Props {
  client: Client;
  squad: number;
  settings: Settings;
  /** The part for missing figures, which the caller passes because its button would require a separate script here. */
  missing: ComponentType<MissingProps>;
}

/** The season of a squad, as a panel for each player or as a table. */
export function SquadSeason({ client, squad, settings, missing: Missing }: Props) {
  const request = useRequest(`season ${squad}`, (signal) => loadSeason(client, squad, signal));
  const athletes = useRequest("athletes", async (signal) => {
    const all = await visibleAthletes(client, signal);
    return new Map(all.map((athlete) => [athlete.id, athlete]));
  });
  const zone = settings.zone.value;
  return (
    <Requested request={request} what="the season">
      {(stored) => (
        <>
          <SeasonComputing request={request} />
          <Missing
            client={client}
            sessions={stored.sessions}
            zone={zone}
            nameOf={(athlete) =>
              stored.players.find((player) => player.athlete === athlete)?.player ??
              nameIn(athletes.data ?? new Map(), athlete)
            }
            onDone={request.reload}
          />
          {stored.players.length === 0 ? (
            <Nothing title={stored.sessions.length === 0 ? "No session has begun yet." : "No figures yet."}>
              <p>The season compares a figure of each player with the last {NORMAL_RULE.matches} matches.</p>
            </Nothing>
          ) : (
            <Content client={client} stored={stored} zone={zone} />
          )}
          {stored.left_out > 0 ? <p class="note">{stored.left_out} older sessions are omitted.</p> : null}
        </>
      )}
    </Requested>
  );
}

function Content({ client, stored, zone }: { client: Client; stored: StoredSeason; zone: Zone }) {
  const season = useMemo(() => seasonIn(stored), [stored]);
  const columns = useMemo(() => figuresIn(season), [season]);
  const [figure, setFigure] = useKept("figure", FIRST_FIGURE);
  const [order, setOrder] = useKept("order", "far");
  const [chosen, setChosen] = useKept<number | null>("session", null);
  const shown = useSignal<"panels" | "table">("panels");
  const column = columns.find(({ key }) => key === figure) ?? columns[0];
  const place = stored.sessions.findIndex(({ id }) => id === chosen);
  const now = place < 0 ? comparedIndex(season) : place;
  if (column === undefined) return <Nothing title="No player has data." />;
  const frame = frameOf(stored, season, { column, now, zone });
  const ticks = panelTicks(frame);
  const players = order === "far" ? farthestFirst(frame) : season.players;
  const session = season.sessions[now];
  return (
    <>
      <div class="season-controls">
        <label>
          Figure{" "}
          <select value={column.key} onChange={({ currentTarget }) => setFigure(currentTarget.value)}>
            {columns.map((one) => (
              <option key={one.key} value={one.key}>
                {figureName(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Session{" "}
          <select
            value={stored.sessions[now]?.id}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          >
            {stored.sessions.toReversed().map(({ id, name, start_time }) => (
              <option key={id} value={id}>
                {name}, {day(Date.parse(start_time), zone)}
              </option>
            ))}
          </select>
        </label>
        <Segmented
          label="View"
          choice={shown}
          choices={[
            ["panels", "Pictures"],
            ["table", "Table"],
          ]}
        />
        <label>
          Order{" "}
          <select value={order} onChange={({ currentTarget }) => setOrder(currentTarget.value)}>
            <option value="far">Farthest from normal first</option>
            <option value="number">By number</option>
          </select>
        </label>
        <button type="button" onClick={() => print()}>
          Print
        </button>
      </div>
      <p class="season-session">
        <b>
          {figureName(column)}:{" "}
          {session === undefined ? "" : `${session.name}, ${day(session.startMs, zone)}`}
        </b>
        , compared with the player’s last {NORMAL_RULE.matches} matches
      </p>
      <SeasonNotes of={[season, [column], now]} />
      {shown.value === "table" ? (
        <SeasonTable client={client} players={players} frame={frame} />
      ) : (
        <>
          <SeasonKey />
          <div class="season-panels">
            {players.map((player) => (
              <SeasonPanel key={player.name} player={player} frame={frame} ticks={ticks}>
                <small>{player.number}</small> {player.name}
              </SeasonPanel>
            ))}
          </div>
        </>
      )}
    </>
  );
}
