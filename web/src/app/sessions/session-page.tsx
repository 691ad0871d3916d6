import { useSignal } from "@preact/signals";
import { type Resource, unwrap } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { duration } from "../../view/times.js";
import { NO_VALUE } from "../../view/values.js";
import { sportName } from "../activities/names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { Facts } from "../parts/facts.js";
import { lazily } from "../parts/lazily.js";
import { Requested, useReloads, useRequest } from "../parts/request.js";
import { mayEdit, mayReadHeart } from "../squads/roles.js";
import type { ViewProps } from "../view.js";
import { type LoadedSession, loadSession, missingPlayers, playersIn } from "./load-session.js";
import { clock, isRunning, kindName, playersText, timesOf } from "./session-words.js";

const SessionTable = lazily(async () => (await import("./guest-parts.js")).SessionTable);
const LiveSession = lazily(async () => (await import("./live-part.js")).LiveSession);
const EditSession = lazily(async () => (await import("./edit-session.js")).EditSession);
const ReplacePeriods = lazily(async () => (await import("./guest-parts.js")).ReplacePeriods);

/** One session, with its details, its periods, and missing players. */
export function SessionPage({ id, ...props }: ViewProps & { id: number }) {
  const request = useRequest(`session ${id}`, (signal) => loadSession(props.client, id, signal, 0));
  useReloads(request, (request.data?.figures.computing.length ?? 0) > 0);
  return (
    <>
      <p class="back">
        <a href="#/sessions">All sessions</a>
      </p>
      <Requested request={request} what="the session">
        {(loaded) => <Content {...props} loaded={loaded} onChange={request.reload} />}
      </Requested>
    </>
  );
}

interface ContentProps extends ViewProps {
  loaded: LoadedSession;
  onChange: () => void;
}

function Content({ loaded, onChange, ...props }: ContentProps) {
  const { session, squad, role, figures, periods, periodsTag } = loaded;
  const { client, settings, go } = props;
  const zone = settings.zone.value;
  const problem = useProblem();
  const open = useSignal<"edit" | "periods" | null>(null);
  const close = () => {
    open.value = null;
  };
  const isLive = useSignal(false);
  const names = playersIn(figures);
  const missing = missingPlayers(figures, role);
  const withData = figures.rows.filter(({ period, start }) => period === null && start !== null).length;
  return (
    <>
      <div class="view-head">
        <h1>{session.name}</h1>
        {role === "owner" && isRunning(session) ? (
          <label class="check">
            <input
              type="checkbox"
              checked={isLive.value}
              onChange={({ currentTarget }) => {
                isLive.value = currentTarget.checked;
              }}
            />
            Live
          </label>
        ) : null}
        {mayEdit(role) ? (
          <button
            type="button"
            onClick={() => {
              open.value = "edit";
            }}
          >
            Edit…
          </button>
        ) : null}
        {role === "owner" ? (
          <a class="button primary" href={`#/sessions/${session.id}/squad`}>
            Open the squad
          </a>
        ) : null}
      </div>
      {isLive.value ? <LiveSession client={client} session={session.id} settings={settings} /> : null}
      <div class="columns">
        <section class="panel padded">
          <h2>Session</h2>
          <Facts
            of={[
              ["When", timesOf(session, zone)],
              ["Length", duration(Date.parse(session.end_time) - Date.parse(session.start_time))],
              ["Kind", `${kindName(session.kind)}, ${sportName(session.sport)}`],
              ["Squad", squad],
              [
                "Players",
                figures.computing.length > 0
                  ? `${playersText(names.size)}, computing ${figures.computing.length} of them…`
                  : `${playersText(names.size)}, ${withData} with data`,
              ],
              ["Place", session.place || NO_VALUE],
              ["Notes", session.notes === null ? NO_VALUE : <span class="lines">{session.notes}</span>],
            ]}
          />
        </section>
        <section class="panel padded">
          <h2>Periods</h2>
          <Periods periods={periods} names={names} zone={zone} />
          {role === "owner" ? (
            <p class="note">
              Open the squad to create and change periods. Drag over its clock, or add periods.csv.
            </p>
          ) : mayEdit(role) ? (
            <button
              type="button"
              onClick={() => {
                open.value = "periods";
              }}
            >
              Replace by periods.csv…
            </button>
          ) : null}
        </section>
        {missing.length === 0 ? null : (
          <section class="panel padded">
            <h2>Players without data</h2>
            <ul class="missing">
              {missing.map(({ player, why }) => (
                <li key={player + why}>
                  <strong>{player}</strong> {why}
                </li>
              ))}
            </ul>
          </section>
        )}
        {mayEdit(role) ? (
          <section class="panel padded">
            <h2>Delete</h2>
            <p class="note">
              The recordings are kept. The periods and the figures of this session are deleted.
            </p>
            <ProblemOf problem={problem} />
            <Action
              class="warns"
              problem={problem}
              failed="The session was not deleted."
              busy="Deleting the session…"
              question={{
                title: `Delete ${session.name}?`,
                text: "This deletes the session with its periods, its time frames and their figures. The recordings are kept. This cannot be undone.",
                action: "Delete the session",
              }}
              work={async () => {
                const params = { path: { session: session.id } };
                await unwrap(client.DELETE("/api/v2/sessions/{session}/", { params }));
                go("/sessions");
                return `${session.name} is deleted.`;
              }}
            >
              Delete the session…
            </Action>
          </section>
        ) : null}
      </div>
      {role === "owner" ? null : (
        <>
          <SessionTable client={client} figures={figures} zone={zone} />
          {mayReadHeart(role) ? null : (
            <p class="note">The owner and physicians of the squad also see heart-rate figures.</p>
          )}
        </>
      )}
      {open.value === "periods" ? (
        <ReplacePeriods
          client={client}
          session={session.id}
          tag={periodsTag}
          zone={zone}
          onClose={close}
          onDone={() => {
            close();
            onChange();
          }}
        />
      ) : null}
      {open.value === "edit" ? (
        <EditSession
          {...{ client, settings, session }}
          onClose={close}
          onDone={() => {
            close();
            onChange();
          }}
        />
      ) : null}
    </>
  );
}

function Periods({
  periods,
  names,
  zone,
}: {
  periods: Resource["SessionPeriods"];
  names: ReadonlyMap<number, string>;
  zone: Zone;
}) {
  if (periods.length === 0) return <p>There are no periods yet.</p>;
  return (
    <ul class="missing">
      {periods.map(({ name, start_time, end_time, athlete }, i) => (
        <li key={`${i} ${name}`}>
          <strong>{name}</strong>
          {athlete === null ? "" : `, ${names.get(athlete) ?? `athlete ${athlete}`}`}
          {start_time === null || end_time === null
            ? ": does not take part"
            : `, ${clock(start_time, zone)} to ${clock(end_time, zone)}`}
        </li>
      ))}
    </ul>
  );
}
