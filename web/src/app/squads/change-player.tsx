import { useState } from "preact/hooks";
import { zoneName } from "../../view/times.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Choice, Field, Form, type Values } from "../parts/form.js";
import { onlyChanged, saveChanges } from "../parts/save-changes.js";
import { instantOf, instantText } from "../parts/when.js";
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
  member: latest,
  name,
  hasHeart,
  setsTimes,
  onClose,
  onDone,
}: Props) {
  // the member that the user sees, because the page may load it again while the dialog is open
  const [member] = useState(latest);
  const [isFromTime, setFromTime] = useState(true);
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  // the meaning of the field depends on the scope
  const startName = isFromTime ? "from" : "start_time";

  const textsOf = ({ number, position, params, ...times }: Member) => {
    const { highSpeed, sprint, maxHr } = thresholdsOf(params, unit);
    return {
      ...{ number, position, [HIGH_SPEED]: highSpeed, [SPRINT]: sprint, [MAX_HR]: maxHr },
      start_time: instantText(Date.parse(times.start_time), zone),
      end_time: endText(times.end_time, zone),
    };
  };
  const texts = textsOf(member);

  const save = async (values: Values, form: HTMLFormElement, changed: ReadonlySet<string>) => {
    const number = values("number").trim();
    const entered = {
      number: number === "" ? null : Number(number),
      position: values("position").trim() || null,
    };
    const hasParams = [HIGH_SPEED, SPRINT, MAX_HR].some((field) => changed.has(field));
    // the fields of the times appear with the scope, so the form does not know their first values
    const isOther = (field: "start_time" | "end_time") =>
      instantOf(values(field), zone) !== instantOf(texts[field], zone);
    const times = isFromTime
      ? { from: timeIn(values, "from", zone) }
      : {
          ...(setsTimes && isOther("start_time") ? { start_time: timeIn(values, "start_time", zone) } : {}),
          ...(setsTimes && isOther("end_time") ? { end_time: endIn(values, "end_time", zone) } : {}),
        };
    const params = { path: { member: member.id } };
    await saveChanges({
      ...{ form, changed, shown: member, textsOf },
      read: () => client.GET("/api/v2/members/{member}/", { params }),
      write: (headers, present) =>
        client.PATCH("/api/v2/members/{member}/", {
          ...{ params, headers },
          body: {
            ...onlyChanged(entered, changed),
            ...(hasParams ? { params: thresholdsIn(values, changed, unit, present.params) } : {}),
            ...times,
          },
        }),
    });
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
            initial={texts.number}
            isFirst
          />
          <Field
            name="position"
            label="Position"
            maxLength={20}
            initial={texts.position}
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
            initial={texts[HIGH_SPEED]}
          />
          <Field
            name={SPRINT}
            label={`Sprint from, ${unit}`}
            type="number"
            min={0.1}
            step="any"
            initial={texts[SPRINT]}
          />
          {hasHeart ? (
            <Field
              name={MAX_HR}
              label="Maximum heart rate"
              type="number"
              min={60}
              max={240}
              step="any"
              initial={texts[MAX_HR]}
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
              initial={isFromTime ? thisMinute(zone) : texts.start_time}
              hint={`Times in ${zoneName(zone)}.`}
            />
            {isFromTime ? null : (
              <Field
                name="end_time"
                label="Until"
                type="datetime-local"
                initial={texts.end_time}
                hint="Leave it empty for no end."
              />
            )}
          </div>
        ) : null}
      </Form>
    </Dialog>
  );
}
