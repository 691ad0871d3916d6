import { type Resource, unwrap } from "asi-client";
import { zoneName } from "../../view/times.js";
import { deviceWithSerial } from "../names.js";
import { announce } from "../parts/announcements.js";
import { dayAfter } from "../parts/days.js";
import { Dialog } from "../parts/dialog.js";
import { Choice, Field, Form } from "../parts/form.js";
import { instantText } from "../parts/when.js";
import { thisMinute } from "./end-dialog.js";
import type { Assignment, TabProps } from "./tab.js";
import { timeIn } from "./validity.js";

interface Player {
  id: number;
  name: string;
}

interface Props extends TabProps {
  players: readonly Player[];
  onClose: () => void;
  onDone: () => void;
}

const choicesOf = (players: readonly Player[]) => players.map(({ id, name }) => [String(id), name] as const);

interface AssignProps extends Props {
  /** The player who is initially selected. */
  first: number | null;
  devices: readonly Resource["Device"][];
  /** Ids of the devices that are currently assigned. */
  worn: ReadonlySet<number>;
}

/** Assigns a tracker to a player. */
export function AssignDialog(props: AssignProps) {
  const { client, settings, players, first, devices, worn, onClose, onDone } = props;
  const zone = settings.zone.value;
  const free = devices.filter(({ id }) => !worn.has(id));
  return (
    <Dialog title="Assign a tracker" onClose={onClose}>
      {free.length === 0 ? (
        <p>
          {devices.length === 0 ? "You have no devices. " : "All of your devices are assigned. "}
          <a href="#/devices">Claim a device</a>, or reassign one.
        </p>
      ) : (
        <Form
          action="Assign"
          onCancel={onClose}
          onSubmit={async (values) => {
            const body = {
              device: Number(values("device")),
              athlete: Number(values("athlete")),
              start_time: timeIn(values, "start_time", zone),
            };
            await unwrap(client.POST("/api/v2/assignments/", { body }));
            announce("The tracker is assigned.");
            onDone();
          }}
        >
          <Choice
            name="device"
            label="Tracker"
            required
            choices={free.map((device) => [String(device.id), deviceWithSerial(device)] as const)}
          />
          <Choice
            name="athlete"
            label="Player"
            required
            initial={String(first ?? players[0]?.id ?? "")}
            choices={choicesOf(players)}
          />
          <Field
            name="start_time"
            label="From"
            type="datetime-local"
            required
            initial={instantText(dayAfter(Date.now(), 0, zone), zone)}
            hint={`Times in ${zoneName(zone)}. Enter an earlier time for past recordings.`}
          />
        </Form>
      )}
    </Dialog>
  );
}

/** Reassigns a tracker to a different player at a given time. */
export function ChangeHandsDialog(props: Props & { assignment: Assignment; name: string }) {
  const { client, settings, players, assignment, name, onClose, onDone } = props;
  const zone = settings.zone.value;
  const path = "/api/v2/assignments/{assignment}/";
  const params = { path: { assignment: assignment.id } };
  const end = (end_time: string) => unwrap(client.PATCH(path, { params, body: { end_time } }));
  return (
    <Dialog title="Reassign" onClose={onClose}>
      <p>{name}</p>
      {players.length === 0 ? (
        <p>The squad has no other player.</p>
      ) : (
        <Form
          action="Reassign"
          onCancel={onClose}
          onSubmit={async (values) => {
            const start_time = timeIn(values, "start_time", zone);
            // the end may have changed since the page showed it
            const { device, end_time } = await unwrap(client.GET(path, { params }));
            await end(start_time);
            try {
              const body = { device, athlete: Number(values("athlete")), start_time, end_time };
              await unwrap(client.POST("/api/v2/assignments/", { body }));
            } catch (error) {
              await end(end_time);
              throw error;
            }
            announce("The tracker is reassigned.");
            onDone();
          }}
        >
          <Choice name="athlete" label="To" required choices={choicesOf(players)} />
          <Field
            name="start_time"
            label="From"
            type="datetime-local"
            required
            initial={thisMinute(zone)}
            hint={`Times in ${zoneName(zone)}. Until then it stays with the previous player.`}
          />
        </Form>
      )}
    </Dialog>
  );
}
