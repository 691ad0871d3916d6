import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { collected } from "../parts/collected.js";
import { Dialog } from "../parts/dialog.js";
import { Choice, Field, Form } from "../parts/form.js";
import { inTurn } from "../parts/in-turn.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import { GUEST_ROLES, type GuestRole, rightsOf, roleName } from "./roles.js";
import type { TabProps } from "./tab.js";

type Grant = Resource["SquadGrant"];

const nameOf = ({ username }: Grant) => username;

/** The managers whom the owner has invited to a squad. */
export function Access({ client, squad, settings }: TabProps) {
  const [isInviting, setInviting] = useState(false);
  const problem = useProblem();
  const params = { path: { squad: squad.id } };
  const request = useRequest(`grants ${squad.id}`, (signal) =>
    collected(
      client.list("/api/v2/squads/{squad}/grants/", {
        params: { ...params, query: { limit: 1000 } },
        signal,
      }),
    ),
  );
  const zone = settings.zone.value;
  const close = () => setInviting(false);
  return (
    <>
      <ProblemOf problem={problem} />
      <Requested request={request} what="the invitations">
        {(grants) => (
          <ChosenTable
            what="invitations"
            rows={grants}
            keyOf={({ id }) => id}
            nameOf={nameOf}
            controls={
              <button type="button" class="primary" onClick={() => setInviting(true)}>
                Invite…
              </button>
            }
            columns={[
              { name: "Username", of: nameOf, sortBy: nameOf },
              { name: "Role", of: ({ role }) => roleName(role), sortBy: ({ role }) => role },
              { name: "May", of: ({ role }) => `${rightsOf(role)}.` },
              {
                name: "Invited",
                of: ({ created_at }) => dayAndTime(created_at, zone),
                sortBy: ({ created_at }) => created_at,
              },
              {
                name: "Accepted",
                of: ({ accepted_at }) => (accepted_at === null ? "not yet" : dayAndTime(accepted_at, zone)),
                sortBy: ({ accepted_at }) => accepted_at,
              },
            ]}
            actions={(chosen) => (
              <Action
                class="warns"
                problem={problem}
                failed="Not all invitations are withdrawn."
                busy="Withdrawing…"
                question={{
                  title:
                    chosen.length === 1
                      ? "Withdraw the invitation?"
                      : `Withdraw ${chosen.length} invitations?`,
                  text: `${chosen.map(nameOf).join(", ")}. They no longer see this squad.`,
                  action: "Withdraw",
                }}
                work={async () => {
                  await inTurn(
                    chosen,
                    nameOf,
                    ({ id }) =>
                      unwrap(
                        client.DELETE("/api/v2/squads/{squad}/grants/{grant}/", {
                          params: { path: { squad: squad.id, grant: id } },
                        }),
                      ),
                    request.reload,
                  );
                  return "Withdrawn.";
                }}
              >
                Withdraw…
              </Action>
            )}
            empty={
              <Nothing title="No one is invited to this squad.">
                <p>
                  Invite other managers as coach, analyst or physician. Athletes see their own figures without
                  an invitation.
                </p>
              </Nothing>
            }
          />
        )}
      </Requested>
      {isInviting ? (
        <Dialog title={`Invite to ${squad.name}`} onClose={close}>
          <Form
            action="Invite"
            onCancel={close}
            onSubmit={async (values) => {
              const body = { username: values("username").trim(), role: values("role") as GuestRole };
              await unwrap(client.POST("/api/v2/squads/{squad}/grants/", { params, body }));
              close();
              request.reload();
              announce(`${body.username} is invited.`);
            }}
          >
            <Field
              name="username"
              label="Username"
              required
              maxLength={150}
              isFirst
              hint="Enter the exact username of a manager. The service does not reveal whether it exists, and sends no email. The manager finds the invitation under Sessions and Squads."
            />
            <Choice
              name="role"
              label="Role"
              choices={GUEST_ROLES.map((role) => [role, `${roleName(role)}: may ${rightsOf(role)}`])}
              hint="To change a role, invite the manager again. Accepting replaces the earlier role."
            />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
