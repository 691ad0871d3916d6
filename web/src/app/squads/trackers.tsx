import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { useKept } from "../../view/kept-state.js";
import { deviceWithSerial } from "../names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { ChosenTable } from "../parts/chosen-table.js";
import { collected } from "../parts/collected.js";
import { inTurn } from "../parts/in-turn.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import { nameIn, visibleAthletes } from "../people.js";
import { AssignDialog, ChangeHandsDialog } from "./assign-dialogs.js";
import { EndDialog } from "./end-dialog.js";
import type { Assignment, TabProps } from "./tab.js";
import { isOver, untilText } from "./validity.js";

type Open =
  | { kind: "assign" }
  | { kind: "hands"; assignment: Assignment }
  | { kind: "end"; assignments: readonly Assignment[] };

/** The assignments of trackers to the players of a squad. */
export function Trackers(props: TabProps) {
  const { client, settings, squad } = props;
  const [isAll, setAll] = useKept("all", false);
  const [open, setOpen] = useState<Open | null>(null);
  const problem = useProblem();
  const request = useRequest(`trackers ${squad.id}`, async (signal) => {
    const limit = 1000;
    const [members, assignments, athletes, devices] = await Promise.all([
      collected(client.list("/api/v2/members/", { params: { query: { squad: squad.id, limit } }, signal })),
      collected(client.list("/api/v2/assignments/", { params: { query: { limit } }, signal })),
      visibleAthletes(client, signal),
      collected(
        client.list("/api/v1/devices/", {
          params: { query: { limit: 3000, ordering: "device_name", current: false } },
          signal,
        }),
      ),
    ]);
    const nowMs = Date.now();
    const people = new Map(athletes.map((athlete) => [athlete.id, athlete]));
    const ofSquad = new Set(members.map(({ athlete }) => athlete));
    const players = [...new Set(members.filter((one) => !isOver(one, nowMs)).map(({ athlete }) => athlete))]
      .map((id) => ({ id, name: nameIn(people, id) }))
      .sort((a, b) => a.name.localeCompare(b.name, "en"));
    return {
      players,
      assignments: assignments.filter(({ athlete }) => ofSquad.has(athlete)),
      people,
      devices: new Map(devices.map((device) => [device.id, device])),
    };
  });
  const zone = settings.zone.value;
  const nowMs = Date.now();
  const close = () => setOpen(null);
  const done = () => {
    close();
    request.reload();
  };
  return (
    <>
      <ProblemOf problem={problem} />
      <Requested request={request} what="the trackers">
        {({ players, assignments, people, devices }) => {
          const deviceOf = ({ device }: Assignment) => {
            const found = devices.get(device);
            return found === undefined ? `Device ${device}` : deviceWithSerial(found);
          };
          const playerOf = ({ athlete }: Assignment) => nameIn(people, athlete);
          const nameOf = (one: Assignment) => `${deviceOf(one)} of ${playerOf(one)}`;
          const current = assignments.filter((one) => !isOver(one, nowMs));
          const equipped = new Set(current.map(({ athlete }) => athlete));
          const without = players.filter(({ id }) => !equipped.has(id));
          return (
            <>
              {without.length === 0 ? null : (
                <p class="lead">Without a tracker: {without.map(({ name }) => name).join(", ")}</p>
              )}
              <ChosenTable
                what="trackers"
                rows={isAll ? assignments : current}
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
                      Show earlier wearers
                    </label>
                    <button
                      type="button"
                      class="primary"
                      disabled={players.length === 0}
                      onClick={() => setOpen({ kind: "assign" })}
                    >
                      Assign a tracker…
                    </button>
                  </>
                }
                columns={[
                  { name: "Tracker", of: deviceOf, sortBy: deviceOf },
                  { name: "Player", of: playerOf, sortBy: playerOf },
                  {
                    name: "From",
                    of: ({ start_time }) => dayAndTime(start_time, zone),
                    sortBy: ({ start_time }) => start_time,
                  },
                  { name: "Until", of: ({ end_time }) => untilText(end_time, zone) },
                  {
                    name: "",
                    class: "action",
                    of: (one) =>
                      isOver(one, nowMs) ? null : (
                        <button
                          type="button"
                          aria-label={`Reassign: ${nameOf(one)}`}
                          onClick={() => setOpen({ kind: "hands", assignment: one })}
                        >
                          Reassign…
                        </button>
                      ),
                  },
                ]}
                actions={(chosen) => (
                  <>
                    <button type="button" onClick={() => setOpen({ kind: "end", assignments: chosen })}>
                      End…
                    </button>
                    <Action
                      class="warns"
                      problem={problem}
                      failed="Not all assignments are deleted."
                      busy="Deleting…"
                      question={{
                        title:
                          chosen.length === 1
                            ? "Delete the assignment?"
                            : `Delete ${chosen.length} assignments?`,
                        text: `${chosen.map(nameOf).join(", ")}. Past sessions also lose the data of the tracker. To keep these, end the assignment instead.`,
                        action: "Delete",
                      }}
                      work={async () => {
                        await inTurn(
                          chosen,
                          nameOf,
                          ({ id }) =>
                            unwrap(
                              client.DELETE("/api/v2/assignments/{assignment}/", {
                                params: { path: { assignment: id } },
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
                  <Nothing
                    title={players.length === 0 ? "This squad has no players." : "Nobody wears a tracker."}
                  >
                    <p>
                      {players.length === 0
                        ? "Add players first."
                        : "Assign the trackers of the players, so that recordings are matched to players."}
                    </p>
                  </Nothing>
                }
              />
              {open?.kind === "assign" ? (
                <AssignDialog
                  {...props}
                  players={players}
                  first={without[0]?.id ?? null}
                  devices={[...devices.values()]}
                  worn={new Set(current.map(({ device }) => device))}
                  onClose={close}
                  onDone={done}
                />
              ) : open?.kind === "hands" ? (
                <ChangeHandsDialog
                  {...props}
                  assignment={open.assignment}
                  name={nameOf(open.assignment)}
                  players={players.filter(({ id }) => id !== open.assignment.athlete)}
                  onClose={close}
                  onDone={done}
                />
              ) : open?.kind === "end" ? (
                <EndDialog
                  title="End the assignment"
                  note="Sessions before this time keep the data of the tracker."
                  names={open.assignments.map(nameOf)}
                  zone={zone}
                  onClose={close}
                  onEnd={async (end_time) => {
                    await inTurn(
                      open.assignments,
                      nameOf,
                      ({ id }) =>
                        unwrap(
                          client.PATCH("/api/v2/assignments/{assignment}/", {
                            params: { path: { assignment: id } },
                            body: { end_time },
                          }),
                        ),
                      request.reload,
                    );
                    close();
                  }}
                />
              ) : null}
            </>
          );
        }}
      </Requested>
    </>
  );
}
