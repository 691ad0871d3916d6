import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { lazily } from "../parts/lazily.js";
import { Requested, useRequest } from "../parts/request.js";
import { NotComputed } from "../season/not-computed.js";
import type { ViewProps } from "../view.js";
import { acceptedIn, loadInvitations } from "./roles.js";
import type { Squad, TabProps } from "./tab.js";

const Players = lazily(async () => (await import("./players.js")).Players);
const GuestHead = lazily(async () => (await import("./guest-squad.js")).GuestHead);
const GuestPlayers = lazily(async () => (await import("./guest-squad.js")).GuestPlayers);
const Access = lazily(async () => (await import("./access.js")).Access);
const Trackers = lazily(async () => (await import("./trackers.js")).Trackers);
const Season = lazily(async () => (await import("../season/squad-season.js")).SquadSeason);

const TABS = [
  ["players", "Players"],
  ["trackers", "Trackers"],
  ["season", "Season"],
  ["access", "Access"],
] as const;

/** The tabs of another manager's squad. */
const GUEST_TABS: readonly string[] = ["players", "season"];

/** A squad, with its players, their trackers, its season, and other users with access. */
export function SquadPage({ id, tab, ...props }: ViewProps & { id: number; tab: string }) {
  const { client } = props;
  const params = { path: { squad: id } };
  const request = useRequest(`squad ${id}`, async (signal) => {
    const [squad, invitations] = await Promise.all([
      unwrap(client.GET("/api/v2/squads/{squad}/", { params, signal })),
      loadInvitations(client, signal),
    ]);
    return { squad, invitation: acceptedIn(invitations, id) };
  });
  return (
    <>
      <p class="back">
        <a href="#/squads">All squads</a>
      </p>
      <Requested request={request} what="the squad">
        {({ squad, invitation }) => (
          <>
            {invitation === undefined ? (
              <Head
                squad={squad}
                onChange={(changed) => request.replace({ squad: changed, invitation })}
                {...props}
              />
            ) : (
              <GuestHead squad={squad} invitation={invitation} {...props} />
            )}
            <nav class="tabs" aria-label="Parts of the squad">
              <ul>
                {TABS.filter(([name]) => invitation === undefined || GUEST_TABS.includes(name)).map(
                  ([name, title]) => (
                    <li key={name}>
                      <a
                        href={name === "players" ? `#/squads/${id}` : `#/squads/${id}/${name}`}
                        aria-current={tab === name ? "page" : undefined}
                      >
                        {title}
                      </a>
                    </li>
                  ),
                )}
              </ul>
            </nav>
            {tab === "season" ? (
              <Season {...props} squad={id} missing={NotComputed} />
            ) : invitation !== undefined ? (
              <GuestPlayers {...props} squad={squad} seenAs={invitation.role} />
            ) : tab === "trackers" ? (
              <Trackers {...props} squad={squad} />
            ) : tab === "access" ? (
              <Access {...props} squad={squad} />
            ) : (
              <Players {...props} squad={squad} />
            )}
          </>
        )}
      </Requested>
    </>
  );
}

function Head({ squad, onChange, client, go }: TabProps & { onChange: (squad: Squad) => void }) {
  const [isRenaming, setRenaming] = useState(false);
  const problem = useProblem();
  const params = { path: { squad: squad.id } };
  return (
    <>
      <div class="view-head">
        <h1>{squad.name}</h1>
        <button type="button" onClick={() => setRenaming(true)}>
          Rename…
        </button>
        <Action
          class="warns"
          problem={problem}
          failed="The squad was not deleted."
          busy="Deleting the squad…"
          question={{
            title: `Delete ${squad.name}?`,
            text: "Its memberships are also deleted. The athletes and their data are kept. A squad with sessions is not deleted.",
            action: "Delete the squad",
          }}
          work={async () => {
            await unwrap(client.DELETE("/api/v2/squads/{squad}/", { params }));
            go("/squads");
            return `${squad.name} is deleted.`;
          }}
        >
          Delete…
        </Action>
      </div>
      <ProblemOf problem={problem} />
      {isRenaming ? (
        <Dialog title="Rename the squad" onClose={() => setRenaming(false)}>
          <Form
            action="Save the name"
            onCancel={() => setRenaming(false)}
            onSubmit={async (values) => {
              const body = { name: values("name").trim() };
              onChange(await unwrap(client.PATCH("/api/v2/squads/{squad}/", { params, body })));
              setRenaming(false);
              announce("The name is saved.");
            }}
          >
            <Field name="name" label="Name" required maxLength={100} initial={squad.name} isFirst />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
