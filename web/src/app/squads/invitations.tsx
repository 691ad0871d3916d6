import { type Client, unwrap } from "asi-client";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { type Invitation, rightsOf, roleName } from "./roles.js";

interface Props {
  client: Client;
  /** All invitations of the user. */
  invitations: readonly Invitation[];
  /** Called when the user has accepted or declined an invitation. */
  onChange: () => void;
}

/** The open invitations to squads of other managers. Renders nothing if there are none. */
export function Invitations({ client, invitations, onChange }: Props) {
  const problem = useProblem();
  const open = invitations.filter(({ accepted_at }) => accepted_at === null);
  if (open.length === 0) return null;
  return (
    <section class="panel padded" aria-label="Invitations">
      <h2>Invitations</h2>
      <ProblemOf problem={problem} />
      {open.map(({ id, squad_name, owner, role }) => {
        const params = { path: { invitation: id } };
        return (
          <div key={id} class="section-head">
            <p>
              <strong>{owner}</strong> invites you to <strong>{squad_name}</strong> as{" "}
              {roleName(role).toLowerCase()}: you may {rightsOf(role)}.
            </p>
            <div class="buttons">
              <Action
                class="primary"
                label={`Accept: ${squad_name}`}
                problem={problem}
                failed="The invitation was not accepted."
                busy="Accepting…"
                work={async () => {
                  await unwrap(client.POST("/api/v2/invitations/{invitation}/accept/", { params }));
                  onChange();
                  return `You see ${squad_name} now.`;
                }}
              >
                Accept
              </Action>
              <Action
                label={`Decline: ${squad_name}`}
                problem={problem}
                failed="The invitation was not declined."
                busy="Declining…"
                work={async () => {
                  await unwrap(client.DELETE("/api/v2/invitations/{invitation}/", { params }));
                  onChange();
                  return "The invitation is declined.";
                }}
              >
                Decline
              </Action>
            </div>
          </div>
        );
      })}
    </section>
  );
}
