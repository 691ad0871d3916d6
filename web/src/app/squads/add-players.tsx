import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { zoneName } from "../../view/times.js";
import { athleteName } from "../names.js";
import { announce } from "../parts/announcements.js";
import { dayAfter } from "../parts/days.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { inTurn } from "../parts/in-turn.js";
import { FormProblem } from "../parts/refusal-words.js";
import { instantText } from "../parts/when.js";
import type { TabProps } from "./tab.js";
import type { Member } from "./thresholds.js";
import { isOver, timeIn } from "./validity.js";

interface Props extends TabProps {
  /** The athletes whom the manager can see. */
  athletes: readonly Resource["Athlete"][];
  members: readonly Member[];
  onClose: () => void;
  onDone: () => void;
}

/** A dialog for adding athletes who are not in the squad at present. */
export function AddPlayers({ client, squad, settings, athletes, members, onClose, onDone }: Props) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const zone = settings.zone.value;
  const nowMs = Date.now();
  const inSquad = new Set(members.filter((one) => !isOver(one, nowMs)).map(({ athlete }) => athlete));
  const free = athletes.filter(({ id }) => !inSquad.has(id));
  const wanted = typed.trim().toLowerCase();
  const found = free.filter((athlete) => athleteName(athlete).toLowerCase().includes(wanted));
  return (
    <Dialog title="Add players" onClose={onClose}>
      {free.length === 0 ? (
        <p>
          All athletes whom you may see are in this squad. Add others under <a href="#/athletes">Athletes</a>.
        </p>
      ) : (
        <Form
          action={chosen.size < 2 ? "Add the player" : `Add ${chosen.size} players`}
          onCancel={onClose}
          onSubmit={async (values) => {
            const start_time = timeIn(values, "start_time", zone);
            const players = free.filter(({ id }) => chosen.has(id));
            if (players.length === 0) throw new FormProblem({ "": "Choose at least one athlete." });
            await inTurn(players, athleteName, ({ id }) =>
              unwrap(client.POST("/api/v2/members/", { body: { squad: squad.id, athlete: id, start_time } })),
            );
            announce(`Added: ${players.map(athleteName).join(", ")}.`);
            onDone();
          }}
        >
          <Field name="name" label="Search by name" value={typed} onValue={setTyped} isFirst />
          <fieldset class="pairing">
            <legend>Athletes</legend>
            <div class="people-choice">
              {found.map((athlete) => (
                <label key={athlete.id} class="check">
                  <input
                    type="checkbox"
                    checked={chosen.has(athlete.id)}
                    onChange={({ currentTarget }) => {
                      const next = new Set(chosen);
                      if (currentTarget.checked) next.add(athlete.id);
                      else next.delete(athlete.id);
                      setChosen(next);
                    }}
                  />
                  {athleteName(athlete)}
                </label>
              ))}
              {found.length === 0 ? <p class="note">No athlete has this name.</p> : null}
            </div>
          </fieldset>
          <Field
            name="start_time"
            label="From"
            type="datetime-local"
            required
            initial={instantText(dayAfter(nowMs, 0, zone), zone)}
            hint={`Times in ${zoneName(zone)}. Enter an earlier time for past sessions.`}
          />
        </Form>
      )}
    </Dialog>
  );
}
