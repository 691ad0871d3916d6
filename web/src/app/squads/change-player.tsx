import { unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { zoneName } from "../../view/times.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Choice, Field, Form, type Values } from "../parts/form.js";
import { instantText } from "../parts/when.js";
import { thisMinute } from "./end-dialog.js";
import type { TabProps } from "./tab.js";
import { HIGH_SPEED, MAX_HR, type Member, SPRINT, thresholdsIn, thresholdsOf } from "./thresholds.js";
import { endIn, endText, timeIn } from "./validity.js";

interface Props extends TabProps {
  member: Member;
  name: string;
  /** Whether the user sees heart data. If not, the service keeps the stored maximum heart rate. */
  hasHeart: boolean;
  /** Whether the user sets the times of the membership. Only the owner of the squad may do this. */
  setsTimes: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Changes a player for the whole membership, or after a given time. In the second case, earlier sessions keep their figures. */
export function ChangePlayer({
  client,
  settings,
  member,
  name,
  hasHeart,
  setsTimes,
  onClose,
  onDone,
}: Props) {
  const [isFromTime, setFromTime] = useState(true);
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const now = thresholdsOf(member.params, unit);
  // the meaning of the field depends on the scope
  const startName = isFromTime ? "from" : "start_time";

  const save = async (values: Values) => {
    const number = values("number").trim();
    const changed = {
      number: number === "" ? null : Number(number),
      position: values("position").trim() || null,
      params: thresholdsIn(values, unit),
    };
    const start = () => timeIn(values, startName, zone);
    const times = isFromTime
      ? { from: start() }
      : setsTimes
        ? { start_time: start(), end_time: endIn(values, "end_time", zone) }
        : {};
    const params = { path: { member: member.id } };
    const body = { ...changed, ...times };
    await unwrap(client.PATCH("/api/v2/members/{member}/", { params, body }));
    announce(`${name} is saved.`);
    onDone();
  };

  return (
    <Dialog title={`Change ${name}`} onClose={onClose}>
      <Form action="Save" onCancel={onClose} onSubmit={save} isEditor>
        <div class="form-row">
          <Field
            name="number"
            label="Number"
            type="number"
            min={0}
            max={999}
            step={1}
            initial={member.number}
            isFirst
          />
          <Field
            name="position"
            label="Position"
            maxLength={20}
            initial={member.position}
            hint="GK, DF, MF, FW or any other text."
          />
        </div>
        <div class="form-row">
          <Field
            name={HIGH_SPEED}
            label={`High speed from, ${unit}`}
            type="number"
            min={0.1}
            step="any"
            initial={now.highSpeed}
          />
          <Field
            name={SPRINT}
            label={`Sprint from, ${unit}`}
            type="number"
            min={0.1}
            step="any"
            initial={now.sprint}
          />
          {hasHeart ? (
            <Field
              name={MAX_HR}
              label="Maximum heart rate"
              type="number"
              min={60}
              max={240}
              step="any"
              initial={now.maxHr}
            />
          ) : null}
        </div>
        <p class="note">An empty field means the default of the sport.</p>
        <Choice
          name="scope"
          label="Applies"
          initial="time"
          choices={[
            ["time", "After a given time, without changing earlier sessions"],
            ["whole", "For the whole membership; its sessions are computed again"],
          ]}
          onValue={(scope) => setFromTime(scope === "time")}
        />
        {isFromTime || setsTimes ? (
          <div class="form-row">
            <Field
              key={startName}
              name={startName}
              label="From"
              type="datetime-local"
              required
              initial={isFromTime ? thisMinute(zone) : instantText(Date.parse(member.start_time), zone)}
              hint={`Times in ${zoneName(zone)}.`}
            />
            {isFromTime ? null : (
              <Field
                name="end_time"
                label="Until"
                type="datetime-local"
                initial={endText(member.end_time, zone)}
                hint="Leave it empty for no end."
              />
            )}
          </div>
        ) : null}
      </Form>
    </Dialog>
  );
}
