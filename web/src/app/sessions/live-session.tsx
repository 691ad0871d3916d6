import type { Client, Resource } from "asi-client";
import { useState } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import { decimal, NO_VALUE, speedFactor } from "../../view/values.js";
import { useEverySecond, useFollowing } from "../live-events/following.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import "./live-session.css";
import { LiveMap } from "./live-map.js";
import { type LivePlayer, STALE_MS } from "./live-player.js";
import { type FeedState, loadFigures, SessionFeed } from "./session-feed.js";

const STATES: Readonly<Record<FeedState, string>> = {
  connecting: "Connecting…",
  live: "Samples arrive",
  elsewhere: "Followed in another window",
  lost: "You can no longer follow this session",
};

type Figures = Resource["SessionFigures"];

interface Props {
  client: Client;
  session: number;
  settings: Settings;
}

/** A row of the table. A player without samples also has a row. */
interface Row {
  athlete: number;
  player: string;
  number: string | null;
  position: string | null;
  live: LivePlayer | undefined;
}

/** The players of a running session, with their positions, speeds and distances. */
export function LiveSession({ client, session, settings }: Props) {
  // the figures that the page has loaded may be old
  const request = useRequest(`live ${session}`, (signal) => loadFigures(client, session, signal));
  return (
    <Requested request={request} what="the figures of the session">
      {(figures) => <Following client={client} figures={figures} settings={settings} />}
    </Requested>
  );
}

function Following({ client, figures, settings }: Omit<Props, "session"> & { figures: Figures }) {
  const [feed] = useState(() => new SessionFeed(client, figures));
  useFollowing(feed);
  const nowMs = useEverySecond(performance);
  const players = feed.players.value;
  const before = feed.before.value;
  const state = feed.state.value;
  const unit = settings.speedUnit.value;
  const rows: Row[] = figures.rows
    .filter(({ period }) => period === null)
    .map(({ athlete, player, number, position }) => ({
      athlete,
      player,
      number,
      position,
      live: players.get(athlete),
    }));
  const ageOf = ({ live }: Row) =>
    live === undefined ? null : Math.max(0, nowMs.value - live.shown.heardMs);
  const isStale = (row: Row) => (ageOf(row) ?? Number.POSITIVE_INFINITY) > STALE_MS;
  const speedOf = (row: Row) => (row.live === undefined || isStale(row) ? null : row.live.shown.speed);
  const heartOf = ({ live }: Row) => {
    const heart = live?.shown.heart;
    return heart == null || nowMs.value - heart.heardMs > STALE_MS ? null : heart.bpm;
  };
  const distanceOf = ({ athlete, live }: Row) => {
    const metres = before.get(athlete)?.metres;
    return metres === undefined && live === undefined ? null : (metres ?? 0) + (live?.addedM ?? 0);
  };
  const hasHeart = rows.some((row) => row.live?.shown.heart != null);
  const current = rows.filter((row) => !isStale(row));
  return (
    <section class="live-session" aria-label="Live">
      <div class="section-head">
        <h2>Live</h2>
        <span class={state === "live" && current.length > 0 ? "live-feed is-on" : "live-feed"} role="status">
          {state === "live" && current.length === 0 ? "Waiting for new samples" : STATES[state]}
        </span>
        {state === "elsewhere" ? (
          <button type="button" onClick={() => feed.start()}>
            Follow here
          </button>
        ) : null}
      </div>
      <div class="live-columns">
        <LiveMap
          settings={settings}
          players={current.flatMap(({ live, ...row }) => (live === undefined ? [] : [{ ...row, live }]))}
        />
        <ChosenTable
          what="players"
          rows={rows}
          keyOf={({ athlete }) => athlete}
          nameOf={({ player }) => player}
          columns={[
            { name: "Player", of: ({ player }) => player, sortBy: ({ player }) => player },
            {
              name: `Speed, ${unit}`,
              of: (row) => numberText(speedOf(row), speedFactor(unit), 1),
              sortBy: speedOf,
            },
            { name: "Distance, m", of: (row) => numberText(distanceOf(row), 1, 0), sortBy: distanceOf },
            ...(hasHeart
              ? [
                  {
                    name: "Heart rate, bpm",
                    of: (row: Row) => numberText(heartOf(row), 1, 0),
                    sortBy: heartOf,
                  },
                ]
              : []),
            {
              name: "Last sample",
              of: (row) => <Age ms={ageOf(row)} isStale={isStale(row)} />,
              sortBy: ageOf,
            },
          ]}
          empty={<Nothing title="No player of this session wears a device." />}
        />
      </div>
      <p class="note">
        The values are about a second old. A distance may lack the half minute before this view was opened or
        resumed.
      </p>
    </section>
  );
}

const numberText = (value: number | null, factor: number, decimals: number) =>
  value === null ? NO_VALUE : decimal(value * factor, decimals);

function Age({ ms, isStale }: { ms: number | null; isStale: boolean }) {
  if (ms === null) return <span class="muted">none yet</span>;
  const text =
    ms < 60_000 ? `${Math.floor(ms / 1000)} s ago` : `${decimal(Math.floor(ms / 60_000), 0)} min ago`;
  return <span class={isStale ? "bad" : ""}>{text}</span>;
}
