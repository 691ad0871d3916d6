import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { collected } from "../parts/collected.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { inTurn } from "../parts/in-turn.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { Invitations } from "./invitations.js";
import { loadInvitations, roleIn, roleName, type SquadRole } from "./roles.js";

type Squad = Resource["Squad"] & { role: SquadRole };

const nameOf = ({ name }: Squad) => name;

/** The squads of the manager, and those to which other managers have invited the manager. */
export function SquadList({ client, go, settings }: ViewProps) {
  const [isMaking, setMaking] = useState(false);
  const problem = useProblem();
  const squads = useRequest("squads", async (signal) => {
    const [seen, invitations] = await Promise.all([
      collected(client.list("/api/v2/squads/", { signal })),
      loadInvitations(client, signal),
    ]);
    const rows: Squad[] = seen.map((squad) => ({ ...squad, role: roleIn(invitations, squad.id) }));
    return { rows, invitations };
  });
  const zone = settings.zone.value;
  return (
    <>
      <div class="view-head">
        <h1>Squads</h1>
        <button type="button" class="primary" onClick={() => setMaking(true)}>
          New squad…
        </button>
      </div>
      <ProblemOf problem={problem} />
      <Requested request={squads} what="the squads">
        {({ rows, invitations }) => (
          <>
            <Invitations client={client} invitations={invitations} onChange={squads.reload} />
            <ChosenTable
              what="squads"
              rows={rows}
              keyOf={({ id }) => id}
              nameOf={nameOf}
              columns={[
                {
                  name: "Squad",
                  of: ({ id, name }) => <a href={`#/squads/${id}`}>{name}</a>,
                  sortBy: nameOf,
                },
                { name: "You are", of: ({ role }) => roleName(role), sortBy: ({ role }) => role },
                {
                  name: "Created",
                  of: ({ created_at }) => dayAndTime(created_at, zone),
                  sortBy: ({ created_at }) => created_at,
                },
                {
                  name: "",
                  of: ({ id, name }) => (
                    <a href={`#/squads/${id}/season`} aria-label={`Season of ${name}`}>
                      Season
                    </a>
                  ),
                },
              ]}
              actions={(chosen) =>
                chosen.some(({ role }) => role !== "owner") ? (
                  <span class="muted">Only the owner can delete a squad.</span>
                ) : (
                  <Action
                    class="warns"
                    problem={problem}
                    failed="Not all squads are deleted."
                    busy="Deleting…"
                    question={{
                      title: chosen.length === 1 ? "Delete the squad?" : `Delete ${chosen.length} squads?`,
                      text: `${chosen.map(nameOf).join(", ")}. The memberships are also deleted. The athletes and their data are kept. A squad with sessions is not deleted.`,
                      action: "Delete",
                    }}
                    work={async () => {
                      await inTurn(
                        chosen,
                        nameOf,
                        ({ id }) =>
                          unwrap(
                            client.DELETE("/api/v2/squads/{squad}/", { params: { path: { squad: id } } }),
                          ),
                        squads.reload,
                      );
                      return "Deleted.";
                    }}
                  >
                    Delete…
                  </Action>
                )
              }
              empty={
                <Nothing title="You have no squads.">
                  <p>
                    A squad has players, each with a number, a position and a tracker. Its sessions and its
                    season have a row for each of them.
                  </p>
                </Nothing>
              }
            />
          </>
        )}
      </Requested>
      {isMaking ? (
        <Dialog title="New squad" onClose={() => setMaking(false)}>
          <Form
            action="Create the squad"
            onCancel={() => setMaking(false)}
            onSubmit={async (values) => {
              const body = { name: values("name").trim() };
              const { id, name } = await unwrap(client.POST("/api/v2/squads/", { body }));
              announce(`${name} is created.`);
              go(`/squads/${id}`);
            }}
          >
            <Field name="name" label="Name" required maxLength={100} isFirst />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
