import { signal } from "@preact/signals";
import type { Client } from "asi-client";
import { useEffect } from "preact/hooks";
import { closeStored, shownPlayer, showStored } from "../../opened-squad.js";
import { ChooseFiles } from "../../parts/drop.js";
import type { Sort } from "../../squad/shown-order.js";
import type { FollowedSession, StoredSession } from "../../squad/stored-session.js";
import { go, goInstead, mayReplaceSquad } from "../../view/route.js";
import type { Preset } from "../../view/settings.js";
import { afterSigningIn } from "../parts/after-signing-in.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import { hasOtherTags, loadSession, playersIn } from "./load-session.js";
import { PeriodSaver } from "./period-saver.js";
import { SavingInWords } from "./saving-in-words.js";
import { isViewerShown, type Loaded, SessionWatch } from "./session-watch.js";
import { periodsOfRows } from "./stored-periods.js";
import { loadFrames, missingIn, wornIn } from "./stored-session.js";
import { guardPeriods } from "./unsaved-periods.js";

async function load(client: Client, id: number, signal: AbortSignal): Promise<Loaded> {
  const [loaded, frames] = await Promise.all([
    loadSession(client, id, signal),
    loadFrames(client, id, signal),
  ]);
  return { ...loaded, worn: wornIn(loaded, frames) };
}

/** Loads a session and shows it in the squad view, at the same address. */
export function SessionSquad({ id, ...props }: ViewProps & { id: number }) {
  const { client } = props;
  const request = useRequest(`session squad ${id}`, (signal) => load(client, id, signal));
  return (
    <>
      <p class="back">
        <a href={`#/sessions/${id}`}>The session</a>
      </p>
      <Requested request={request} what="the session">
        {(loaded) =>
          loaded.role === "owner" ? (
            <Show key={id} {...props} loaded={loaded} />
          ) : (
            <p>
              Only the owner of the squad may read the recordings.{" "}
              <a href={`#/sessions/${id}`}>The session</a> has the table.
            </p>
          )
        }
      </Requested>
    </>
  );
}

function Show({ loaded, ...props }: ViewProps & { loaded: Loaded }) {
  useEffect(() => {
    show(props, loaded);
  }, [loaded]);
  return (
    <p class="muted late" role="status">
      Loading the squad…
    </p>
  );
}

/**
 * The last sort order of each session. Undo steps are not kept: they would restore earlier periods over those that somebody else may have
 * saved in the meantime.
 */
const sorts = new Map<number, Sort>();

async function show({ client, workspace, settings }: ViewProps, loaded: Loaded): Promise<void> {
  const { session, figures, periods, periodsTag: tag, worn } = loaded;
  const { id } = session;
  const names = playersIn(figures);
  const saver = new PeriodSaver({ client, session: id, names, tag });
  const address = `/sessions/${id}/squad`;
  // the view at the address loads the session
  const reopen = () => {
    closeStored();
    go(address);
  };
  const isSquadShown = () => shownPlayer.peek() === null;
  const watch = new SessionWatch({
    loaded,
    saver,
    hasOtherTags: (tags, signal) => hasOtherTags(client, id, tags, signal),
    load: (signal) => load(client, id, signal),
    isSquadShown,
    reopen,
  });
  const stored: StoredSession = {
    title: session.name,
    roster: { players: worn.players },
    periods: periodsOfRows(periods, names),
    ranges: worn.ranges,
    missing: missingIn(loaded),
    afterSigningIn: (work) => afterSigningIn(client, work),
    follow: (opened) => {
      const sort = sorts.get(id);
      if (sort !== undefined) opened.sort.value = sort;
      const ends = [
        () => sorts.set(id, opened.sort.peek()),
        saver.follow(opened.periods),
        guardPeriods(saver, session.name, () => isViewerShown.peek() && isSquadShown()),
        watch.follow(opened),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    Buttons: ({ session }: { session: FollowedSession }) => (
      <>
        <a class="button" href={`#/sessions/${id}`}>
          Back to the session
        </a>
        <ChooseFiles onFiles={(files) => session.opened.add(files)} isAdding>
          Add periods…
        </ChooseFiles>
      </>
    ),
    Status: () => (
      <>
        <ChangeInWords
          state={watch.state}
          onReload={async () => {
            if (await mayReplaceSquad()) reopen();
          }}
        />
        <SavingInWords saver={saver} settings={settings} />
      </>
    ),
  };
  // the service uses the sport of the session for its figures
  const ofSport = { ...settings, preset: signal<Preset>(session.sport) };
  const isShown = await showStored(workspace, ofSport, stored, `#${address}`);
  // the user keeps the open squad
  if (!isShown) goInstead(`/sessions/${id}`);
}

/** Says below the table that the session in the service differs from the squad. */
function ChangeInWords({ state, onReload }: { state: SessionWatch["state"]; onReload: () => void }) {
  const { value } = state;
  return (
    <>
      <span class="bad" role="status">
        {value === "changed"
          ? "The session has changed."
          : value === "unknown"
            ? "The session may have changed."
            : null}
      </span>
      {value === "current" ? null : (
        <button type="button" onClick={onReload}>
          Load it again
        </button>
      )}
    </>
  );
}
