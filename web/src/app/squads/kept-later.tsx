import type { Resource } from "asi-client";
import type { Zone } from "../../view/settings.js";
import type { SpeedUnit } from "../../view/values.js";
import { Form } from "../parts/form.js";
import { dayAndTime } from "../parts/when.js";
import { nameIn } from "../people.js";
import type { ImportedRoster } from "./roster-file.js";
import { thresholdsOf } from "./thresholds.js";

type Kept = ImportedRoster["kept_later"][number];

/** Maximum number of rows that are listed. */
const MOST_LISTED = 20;

/** Lists the values that differ from the file, such as "number 17, sprint 25.2 km/h". */
function valuesText({ number, position, params, worn_by, ...kept }: Kept, props: Props): string {
  if (worn_by) return `${kept.serial_number} worn by ${nameIn(props.athletes, worn_by.athlete)}`;
  const { highSpeed, sprint, maxHr } = thresholdsOf(params ?? {}, props.unit);
  const texts = [
    number === undefined ? null : `number ${number ?? "empty"}`,
    position === undefined ? null : `position ${position ?? "empty"}`,
    highSpeed === null ? null : `high speed ${highSpeed} ${props.unit}`,
    sprint === null ? null : `sprint ${sprint} ${props.unit}`,
    maxHr === null ? null : `max. HR ${maxHr}`,
    params !== undefined && Object.keys(params).length === 0 ? "thresholds of the sport" : null,
  ];
  return texts.filter((text) => text !== null).join(", ");
}

interface Props {
  kept: readonly Kept[];
  athletes: ReadonlyMap<number, Resource["Athlete"]>;
  zone: Zone;
  unit: SpeedUnit;
  onReplace: () => Promise<void>;
}

/** The values that start after the time of a roster and differ from it, with an action that replaces them. */
export function KeptLater(props: Props) {
  const { kept, zone, onReplace } = props;
  if (kept.length === 0) return null;
  const more = kept.length - MOST_LISTED;
  return (
    <Form action="Replace these too" onSubmit={onReplace}>
      <p>These later values differ from the file and remain:</p>
      <ul class="line-problems">
        {kept.slice(0, MOST_LISTED).map((one, i) => (
          <li key={i}>
            <b>Line {one.line}: </b>
            {one.player}, from {dayAndTime(one.from, zone)}: {valuesText(one, props)}
          </li>
        ))}
        {more > 0 ? <li>and {more} more</li> : null}
      </ul>
    </Form>
  );
}
