import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { showStored } from "../../opened-squad.js";
import { ChooseFiles } from "../../parts/drop.js";
import type { FollowedSession, StoredSession } from "../../squad/stored-session.js";
import type { Preset } from "../../view/settings.js";
import { afterSigningIn } from "../parts/after-signing-in.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import { type LoadedSession, loadSession, playersIn } from "./load-session.js";
import { PeriodSaver } from "./period-saver.js";
import { SavingInWords } from "./saving-in-words.js";
import { periodsOfRows } from "./stored-periods.js";
import { loadFrames, missingIn, type Worn, wornIn } from "./stored-session.js";

interface Loaded extends LoadedSession {
  worn: Worn;
}

/** Loads a session and shows it in the squad view, at the same address. */
export function SessionSquad({ id, ...props }: ViewProps & { id: number }) {
  const { client } = props;
  const request = useRequest(`session squad ${id}`, async (signal): Promise<Loaded> => {
    const [loaded, frames] = await Promise.all([
      loadSession(client, id, signal),
      loadFrames(client, id, signal),
    ]);
    return { ...loaded, worn: wornIn(loaded, frames) };
  });
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

async function show({ client, workspace, settings }: ViewProps, loaded: Loaded): Promise<void> {
  const { session, figures, periods, periodsTag: tag, worn } = loaded;
  const { id } = session;
  const names = playersIn(figures);
  const saver = new PeriodSaver({ client, session: id, names, tag });
  const stored: StoredSession = {
    title: session.name,
    roster: { players: worn.players },
    periods: periodsOfRows(periods, names),
    ranges: worn.ranges,
    missing: missingIn(loaded),
    afterSigningIn: (work) => afterSigningIn(client, work),
    follow: ({ periods }) => saver.follow(periods),
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
    Status: () => <SavingInWords saver={saver} settings={settings} />,
  };
  // the service uses the sport of the session for its figures
  const ofSport = { ...settings, preset: signal<Preset>(session.sport) };
  await showStored(workspace, ofSport, stored, `#/sessions/${id}/squad`);
}
