import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { NO_VALUE } from "../../view/values.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { collected } from "../parts/collected.js";
import { lazily } from "../parts/lazily.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import { loadSeason } from "../season/season-data.js";
import { type GuestRole, type Invitation, mayEdit, mayReadHeart, rightsOf, roleName } from "./roles.js";
import type { TabProps } from "./tab.js";
import { type Member, shownValue, thresholdsOf } from "./thresholds.js";
import { isOver, untilText } from "./validity.js";

// loaded separately, because few visits need it
const ChangePlayer = lazily(async () => (await import("./change-player.js")).ChangePlayer);

/** The name of another manager's squad and the user's role in it, with a button to leave it. */
export function GuestHead({ squad, invitation, client, go }: TabProps & { invitation: Invitation }) {
  const problem = useProblem();
  const { id, role, owner } = invitation;
  return (
    <>
      <div class="view-head">
        <h1>{squad.name}</h1>
        <Action
          problem={problem}
          failed="You are still in the squad."
          busy="Leaving…"
          question={{
            title: `Leave ${squad.name}?`,
            text: `You no longer see this squad. To return, you need another invitation from ${owner}.`,
            action: "Leave the squad",
          }}
          work={async () => {
            const params = { path: { invitation: id } };
            await unwrap(client.DELETE("/api/v2/invitations/{invitation}/", { params }));
            go("/squads");
            return `You have left ${squad.name}.`;
          }}
        >
          Leave…
        </Action>
      </div>
      <ProblemOf problem={problem} />
      <p class="note">
        {owner} owns this squad. As {roleName(role).toLowerCase()}, you may {rightsOf(role)}.
      </p>
    </>
  );
}

interface Props extends TabProps {
  seenAs: GuestRole;
}

/** The players of a squad of another manager; an analyst can change them. Guests cannot read athletes, so the names are taken from the season. */
export function GuestPlayers(props: Props) {
  const { client, squad, seenAs, settings } = props;
  const [changed, setChanged] = useState<Member | null>(null);
  const request = useRequest(`players ${squad.id}`, async (signal) => {
    const query = { squad: squad.id, limit: 1000 };
    const [members, season] = await Promise.all([
      collected(client.list("/api/v2/members/", { params: { query }, signal })),
      loadSeason(client, squad.id, signal),
    ]);
    return { members, names: new Map(season.players.map(({ athlete, player }) => [athlete, player])) };
  });
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const nowMs = Date.now();
  return (
    <Requested request={request} what="the players">
      {({ members, names }) => {
        const nameOf = ({ athlete }: Pick<Member, "athlete">) => names.get(athlete) ?? `Athlete ${athlete}`;
        return (
          <>
            <ChosenTable
              what="players"
              rows={members.filter((member) => !isOver(member, nowMs))}
              keyOf={({ id }) => id}
              nameOf={nameOf}
              columns={[
                { name: "Player", of: nameOf, sortBy: nameOf },
                { name: "Number", of: ({ number }) => number ?? NO_VALUE, sortBy: ({ number }) => number },
                {
                  name: "Position",
                  of: ({ position }) => position ?? NO_VALUE,
                  sortBy: ({ position }) => position,
                },
                {
                  name: `High speed, ${unit}`,
                  of: ({ params }) => shownValue(thresholdsOf(params, unit).highSpeed),
                },
                {
                  name: `Sprint, ${unit}`,
                  of: ({ params }) => shownValue(thresholdsOf(params, unit).sprint),
                },
                ...(mayReadHeart(seenAs)
                  ? [{ name: "Max. HR", of: ({ params }: Member) => shownValue(params.max_hr ?? null) }]
                  : []),
                {
                  name: "From",
                  of: ({ start_time }) => dayAndTime(start_time, zone),
                  sortBy: ({ start_time }) => start_time,
                },
                { name: "Until", of: ({ end_time }) => untilText(end_time, zone) },
                ...(mayEdit(seenAs)
                  ? [
                      {
                        name: "",
                        class: "action",
                        of: (member: Member) => (
                          <button
                            type="button"
                            aria-label={`Change ${nameOf(member)}`}
                            onClick={() => setChanged(member)}
                          >
                            Change…
                          </button>
                        ),
                      },
                    ]
                  : []),
              ]}
              empty={<Nothing title="This squad has no players now." />}
            />
            {changed === null ? null : (
              <ChangePlayer
                {...props}
                member={changed}
                name={nameOf(changed)}
                hasHeart={mayReadHeart(seenAs)}
                setsTimes={false}
                onClose={() => setChanged(null)}
                onDone={() => {
                  setChanged(null);
                  request.reload();
                }}
              />
            )}
          </>
        );
      }}
    </Requested>
  );
}
