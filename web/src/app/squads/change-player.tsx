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
  /** Whether the user sees heart data. If not, the service keeps the maximum heart rate. */
  hasHeart: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Changes a player for the whole membership, or after a given time. In the second case, earlier sessions keep their figures. */
export function ChangePlayer({ client, settings, member, name, hasHeart, onClose, onDone }: Props) {
  const [isFromTime, setFromTime] = useState(true);
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const now = thresholdsOf(member.params, unit);
  const params = { path: { member: member.id } };

  const save = async (values: Values) => {
    const number = values("number").trim();
    const changed = {
      number: number === "" ? null : Number(number),
      position: values("position").trim() || null,
      params: thresholdsIn(values, unit),
    };
    const start_time = timeIn(values, "start_time", zone);
    const patch = (body: Partial<Member>) =>
      unwrap(client.PATCH("/api/v2/members/{member}/", { params, body }));
    if (!isFromTime) await patch({ ...changed, start_time, end_time: endIn(values, "end_time", zone) });
    else if (Date.parse(start_time) <= Date.parse(member.start_time)) await patch(changed);
    else {
      await patch({ end_time: start_time });
      const { squad, athlete, end_time } = member;
      const body = { squad, athlete, ...changed, start_time, end_time };
      try {
        await unwrap(client.POST("/api/v2/members/", { body }));
      } catch (error) {
        await patch({ end_time });
        throw error;
      }
    }
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
        <div class="form-row">
          <Field
            // the meaning of the field depends on the scope
            key={String(isFromTime)}
            name="start_time"
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
      </Form>
    </Dialog>
  );
}
