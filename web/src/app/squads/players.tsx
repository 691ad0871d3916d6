import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { useKept } from "../../view/kept-state.js";
import { NO_VALUE } from "../../view/values.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { collected } from "../parts/collected.js";
import { inTurn } from "../parts/in-turn.js";
import { lazily } from "../parts/lazily.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import { nameIn, visibleAthletes } from "../people.js";
import { AddPlayers } from "./add-players.js";
import { AskPermission } from "./ask-permission.js";
import { EndDialog } from "./end-dialog.js";
import type { TabProps } from "./tab.js";
import { type Member, shownValue, thresholdsOf } from "./thresholds.js";
import { isOver, untilText } from "./validity.js";

// loaded separately, because few visits need them
const ChangePlayer = lazily(async () => (await import("./change-player.js")).ChangePlayer);
const ImportRoster = lazily(async () => (await import("./import-roster.js")).ImportRoster);

/** The subject of a dialog in this tab. */
type Open =
  | { kind: "add" | "import" }
  | { kind: "change"; member: Member }
  | { kind: "end" | "ask"; members: readonly Member[] };

/** The players of a squad. */
export function Players(props: TabProps) {
  const { client, account, settings, squad } = props;
  const [isAll, setAll] = useKept("all", false);
  const [open, setOpen] = useState<Open | null>(null);
  const problem = useProblem();
  const request = useRequest(`players ${squad.id}`, async (signal) => {
    const query = { squad: squad.id, limit: 1000 };
    const [members, athletes] = await Promise.all([
      collected(client.list("/api/v2/members/", { params: { query }, signal })),
      visibleAthletes(client, signal),
    ]);
    return { members, athletes: new Map(athletes.map((athlete) => [athlete.id, athlete])) };
  });
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const nowMs = Date.now();
  const close = () => setOpen(null);
  const done = () => {
    close();
    request.reload();
  };
  return (
    <>
      <ProblemOf problem={problem} />
      <Requested request={request} what="the players">
        {({ members, athletes }) => {
          const nameOf = ({ athlete }: Pick<Member, "athlete">) => nameIn(athletes, athlete);
          const rows = isAll ? members : members.filter((member) => !isOver(member, nowMs));
          return (
            <>
              <ChosenTable
                what="players"
                rows={rows}
                keyOf={({ id }) => id}
                nameOf={nameOf}
                controls={
                  <>
                    <label class="check">
                      <input
                        type="checkbox"
                        checked={isAll}
                        onChange={({ currentTarget }) => setAll(currentTarget.checked)}
                      />
                      Show earlier memberships
                    </label>
                    <button type="button" onClick={() => setOpen({ kind: "ask", members })}>
                      Ask for permission…
                    </button>
                    <button type="button" onClick={() => setOpen({ kind: "import" })}>
                      Import roster.csv…
                    </button>
                    <button type="button" class="primary" onClick={() => setOpen({ kind: "add" })}>
                      Add players…
                    </button>
                  </>
                }
                columns={[
                  {
                    name: "Player",
                    of: (member) =>
                      athletes.has(member.athlete) ? (
                        <a href={`#/athletes/${member.athlete}`}>{nameOf(member)}</a>
                      ) : (
                        nameOf(member)
                      ),
                    sortBy: nameOf,
                  },
                  {
                    name: "Number",
                    of: ({ number }) => number ?? NO_VALUE,
                    sortBy: ({ number }) => number,
                  },
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
                  { name: "Max. HR", of: ({ params }) => shownValue(params.max_hr ?? null) },
                  {
                    name: "From",
                    of: ({ start_time }) => dayAndTime(start_time, zone),
                    sortBy: ({ start_time }) => start_time,
                  },
                  { name: "Until", of: ({ end_time }) => untilText(end_time, zone) },
                  {
                    name: "",
                    class: "action",
                    of: (member) => (
                      <button
                        type="button"
                        aria-label={`Change ${nameOf(member)}`}
                        onClick={() => setOpen({ kind: "change", member })}
                      >
                        Change…
                      </button>
                    ),
                  },
                ]}
                actions={(chosen) => (
                  <>
                    <button type="button" onClick={() => setOpen({ kind: "end", members: chosen })}>
                      End…
                    </button>
                    <button type="button" onClick={() => setOpen({ kind: "ask", members: chosen })}>
                      Ask for permission…
                    </button>
                    <Action
                      class="warns"
                      problem={problem}
                      failed="Not all memberships are deleted."
                      busy="Deleting…"
                      question={{
                        title:
                          chosen.length === 1
                            ? "Delete the membership?"
                            : `Delete ${chosen.length} memberships?`,
                        text: `${chosen.map(nameOf).join(", ")}. The rows of the players also disappear from past sessions. To keep these, end the memberships instead.`,
                        action: "Delete",
                      }}
                      work={async () => {
                        await inTurn(
                          chosen,
                          nameOf,
                          ({ id }) =>
                            unwrap(
                              client.DELETE("/api/v2/members/{member}/", {
                                params: { path: { member: id } },
                              }),
                            ),
                          request.reload,
                        );
                        return "Deleted.";
                      }}
                    >
                      Delete…
                    </Action>
                  </>
                )}
                empty={
                  <Nothing title={members.length === 0 ? "This squad has no players." : "No players now."}>
                    <p>Add athletes, or import the file roster.csv of your squad.</p>
                  </Nothing>
                }
              />
              {open?.kind === "add" ? (
                <AddPlayers
                  {...props}
                  athletes={[...athletes.values()]}
                  members={members}
                  onClose={close}
                  onDone={done}
                />
              ) : open?.kind === "import" ? (
                <ImportRoster
                  {...props}
                  athletes={athletes}
                  isFirst={members.length === 0}
                  onClose={close}
                  onDone={request.reload}
                />
              ) : open?.kind === "change" ? (
                <ChangePlayer
                  {...props}
                  member={open.member}
                  name={nameOf(open.member)}
                  hasHeart
                  setsTimes
                  onClose={close}
                  onDone={done}
                />
              ) : open?.kind === "end" ? (
                <EndDialog
                  title="End the membership"
                  note="Sessions before this time keep the player."
                  names={open.members.map(nameOf)}
                  zone={zone}
                  onClose={close}
                  onEnd={async (end_time) => {
                    await inTurn(
                      open.members,
                      nameOf,
                      ({ id }) =>
                        unwrap(
                          client.PATCH("/api/v2/members/{member}/", {
                            params: { path: { member: id } },
                            body: { end_time },
                          }),
                        ),
                      request.reload,
                    );
                    close();
                  }}
                />
              ) : open?.kind === "ask" ? (
                <AskPermission
                  account={account}
                  squad={squad}
                  athletes={[...new Set(open.members.map(({ athlete }) => athlete))].flatMap(
                    (id) => athletes.get(id) ?? [],
                  )}
                  onClose={close}
                />
              ) : null}
            </>
          );
        }}
      </Requested>
    </>
  );
}
